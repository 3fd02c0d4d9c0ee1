import { type HeaderNames, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver/verify';

const SETS = { service: serviceHeaders, multibaas: multibaasHeaders };

/** The option for the names of the signature and timestamp headers. */
export interface HeaderOptions {
  readonly headers?: keyof typeof SETS | undefined;
}

/** The header names from the option; undefined without it. */
export const headerNames = ({ headers }: HeaderOptions): HeaderNames | undefined => headers && SETS[headers];

/** The first value of a header; its name is case-insensitive. */
export const headerValue = (lines: readonly (readonly [string, string])[], name: string): string | undefined =>
  lines.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];

/** The known header names under which these headers contain a signature or a timestamp. */
export const namesIn = (lines: readonly (readonly [string, string])[]): HeaderNames | undefined =>
  Object.values(SETS).find(
    ({ signature, timestamp }) =>
      headerValue(lines, signature) !== undefined || headerValue(lines, timestamp) !== undefined,
  );
