import { type HeaderNames, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver/verify';
import { usageError } from './command-error.js';
import type { FlagTable } from './flags.js';

/** The flags that say in which headers a delivery has its signature and its timestamp. */
export const headerFlags = {
  headers: {
    type: 'text',
    placeholder: 'names',
    choices: ['service', 'multibaas'],
    help: 'Header names: X-Service-Signature and X-Service-Timestamp, or X-MultiBaas-…',
  },
  'signature-header': { type: 'text', placeholder: 'name', help: 'Another name for the header of the signature' },
  'timestamp-header': { type: 'text', placeholder: 'name', help: 'Another name for the header of the timestamp' },
} as const satisfies FlagTable;

const SETS = { service: serviceHeaders, multibaas: multibaasHeaders };
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;

interface HeaderFlagValues {
  readonly headers: 'service' | 'multibaas' | undefined;
  readonly 'signature-header': string | undefined;
  readonly 'timestamp-header': string | undefined;
}

/** The header names that the flags say; undefined when they say nothing. */
export function headerNames(flags: HeaderFlagValues): HeaderNames | undefined {
  const { headers, 'signature-header': signature, 'timestamp-header': timestamp } = flags;
  for (const name of [signature, timestamp]) {
    if (name !== undefined && !TOKEN.test(name)) throw usageError('A header name has letters, digits and dashes.');
  }
  if (headers === undefined && signature === undefined && timestamp === undefined) return undefined;
  const set = SETS[headers ?? 'service'];
  const names = { signature: signature ?? set.signature, timestamp: timestamp ?? set.timestamp };
  if (names.signature.toLowerCase() === names.timestamp.toLowerCase()) {
    throw usageError('The signature and the timestamp need headers of different names.');
  }
  return names;
}

/** The first value of a header, whatever the case of its name. */
export const headerValue = (lines: readonly (readonly [string, string])[], name: string): string | undefined =>
  lines.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];

/** The names under which header lines hold a signature or a timestamp, of those that services send. */
export const namesIn = (lines: readonly (readonly [string, string])[]): HeaderNames | undefined =>
  Object.values(SETS).find(
    ({ signature, timestamp }) =>
      headerValue(lines, signature) !== undefined || headerValue(lines, timestamp) !== undefined,
  );
