import { warnOnce } from '../../warn-once.js';

/** The code of a warning about a client without time limits. */
const CODE = 'EVENT_WEBHOOK_SQL_TIMEOUT';

/**
 * Warns once per client that has no time limit for a server that does not answer. Events are then answered 503, but
 * calls that wait for the server keep their connections.
 *
 * @param option The option that is missing.
 * @param fix How to set it.
 */
export function warnWithoutLimit(client: object, hasLimit: boolean, option: string, fix: string): void {
  warnOnce(client, CODE, () =>
    hasLimit
      ? undefined
      : `This database client has no \`${option}\`, so it waits forever for a server that does not answer, and keeps the connection. Pass ${fix}.`,
  );
}
