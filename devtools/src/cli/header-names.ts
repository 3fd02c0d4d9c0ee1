import { type HeaderNames, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver/verify';
import { usageError } from './command-error.js';

const SETS = { service: serviceHeaders, multibaas: multibaasHeaders };
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;

/** Options for the names of the signature and timestamp headers. */
export interface HeaderOptions {
  readonly headers?: 'service' | 'multibaas' | undefined;
  readonly signatureHeader?: string | undefined;
  readonly timestampHeader?: string | undefined;
}

/** The header names from the options; undefined without such an option. */
export function headerNames(options: HeaderOptions): HeaderNames | undefined {
  const { headers, signatureHeader: signature, timestampHeader: timestamp } = options;
  for (const name of [signature, timestamp]) {
    if (name !== undefined && !TOKEN.test(name))
      throw usageError('A header name may only contain letters, digits and dashes.');
  }
  if (headers === undefined && signature === undefined && timestamp === undefined) return undefined;
  const set = SETS[headers ?? 'service'];
  const names = { signature: signature ?? set.signature, timestamp: timestamp ?? set.timestamp };
  if (names.signature.toLowerCase() === names.timestamp.toLowerCase()) {
    throw usageError('The signature and the timestamp must be in different headers.');
  }
  return names;
}

/** The first value of a header; its name is case-insensitive. */
export const headerValue = (lines: readonly (readonly [string, string])[], name: string): string | undefined =>
  lines.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];

/** The known header names under which these headers contain a signature or a timestamp. */
export const namesIn = (lines: readonly (readonly [string, string])[]): HeaderNames | undefined =>
  Object.values(SETS).find(
    ({ signature, timestamp }) =>
      headerValue(lines, signature) !== undefined || headerValue(lines, timestamp) !== undefined,
  );
