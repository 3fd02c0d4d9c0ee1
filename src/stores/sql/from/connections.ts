import { hasMethods } from '../../../internal/check-client.js';
import { withDeadline } from '../../../internal/deadline.js';
import { storeError } from '../../bounded-calls.js';
import type { Answer } from '../database.js';

/** Runs a statement on a pooled connection, and closes the connection if it breaks or does not answer in time. */
export async function runOnce(
  send: () => Promise<Answer>,
  release: (destroy: boolean) => void,
  isAnswer: (error: unknown) => boolean,
  timeoutMs?: number,
): Promise<Answer> {
  const late = () => storeError(`The database did not answer within ${timeoutMs} ms (timeoutMs).`);
  try {
    const answer = await (timeoutMs === undefined ? send() : withDeadline(send(), timeoutMs, late));
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
