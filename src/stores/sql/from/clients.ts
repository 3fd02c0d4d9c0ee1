import { hasMethods } from '../../../internal/check-client.js';
import { warnOnce } from '../../warn-once.js';
import type { Answer } from '../database.js';
import { answered } from '../errors.js';

/** The result of a statement in pg, PGlite and mysql2. */
interface Result {
  readonly rows?: readonly object[];
  readonly rowCount?: number | null;
  readonly affectedRows?: number;
  readonly count?: number | null;
}

/** Reads the result of a client or an ORM: rows, an object with rows, or a pair of one of these and something else. */
export function answerOf(result: unknown): Answer {
  if (isPair(result)) return answerOf(result[0]);
  const { rows, rowCount, affectedRows, count } = Object(result) as Result;
  const changed = rowCount ?? affectedRows ?? count ?? undefined;
  return { rows: Array.isArray(result) ? [...result] : (rows ?? []), changed };
}

/** mysql2 adds the columns, other clients add counts. */
function isPair(result: unknown): result is [unknown, unknown] {
  if (!Array.isArray(result) || result.length !== 2) return false;
  return Array.isArray(result[0]) || 'affectedRows' in Object(result[0]);
}

/** The code of a warning about a client without time limits. */
const CODE = 'EVENT_WEBHOOK_SQL_TIMEOUT';

/**
 * Warns once per client that has no time limit for a server that does not answer. Events then get 503, but
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

/** Runs a statement on a pooled connection, and closes the connection if it breaks or does not answer in time. */
export async function runOnce(
  send: () => Promise<Answer>,
  release: (destroy: boolean) => void,
  isAnswer: (error: unknown) => boolean,
  timeoutMs?: number,
): Promise<Answer> {
  try {
    const answer = await (timeoutMs === undefined ? send() : answered(send(), { timeoutMs }));
    release(false);
    return answer;
  } catch (error) {
    release(!isAnswer(error));
    throw error;
  }
}

/** Returns a function that releases a connection or closes it. Only its first call counts. */
export function releasing(release: (destroy: boolean) => void): (destroy: boolean) => void {
  let isReleased = false;
  return (destroy) => {
    if (isReleased) return;
    isReleased = true;
    release(destroy);
  };
}

interface Emitter {
  on(event: string, listener: (value: never) => void): unknown;
  listeners(event: string): unknown[];
}

/**
 * Listens to the errors of a pg pool and of each connection that it hands out. A broken connection emits `error`, which
 * would end the process without a listener. Statements still reject, and the pool drops the connection.
 */
export function listenTo(pool: unknown): void {
  if (!hasMethods<Emitter>(pool, 'on', 'listeners') || pool.listeners('acquire').includes(listen)) return;
  listen(pool);
  pool.on('connect', listen);
  pool.on('acquire', listen);
}

function listen(emitter: Emitter): void {
  if (!emitter.listeners('error').includes(ignore)) emitter.on('error', ignore);
}

function ignore(): void {}
