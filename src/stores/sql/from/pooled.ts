import type { WebhookError } from '../../../errors.js';
import { withDeadline } from '../../../internal/deadline.js';
import { storeError } from '../../bounded-calls.js';
import type { Answer } from '../database.js';

/** A connection that was taken from a pool. */
export interface Pooled<Result extends Answer> {
  /** Runs a statement, and closes the connection if there is no answer in time. */
  query(statement: string): Promise<Result>;
  /** Waits for other work on the connection, and closes it if that takes longer. */
  within<T>(work: Promise<T>): Promise<T>;
  /** Gives the connection back, or closes it. Only the first call counts. */
  give(destroy: boolean): void;
  isGiven(): boolean;
}

export function pooled<Result extends Answer>(
  send: (statement: string) => Promise<Result>,
  release: (destroy: boolean) => void,
  timeoutMs: number | undefined,
): Pooled<Result> {
  let isGiven = false;

  function give(destroy: boolean): void {
    if (isGiven) return;
    isGiven = true;
    release(destroy);
  }

  function late(): Error {
    give(true);
    return storeError(`The database did not answer within ${timeoutMs} ms (timeoutMs).`);
  }

  function within<T>(work: Promise<T>): Promise<T> {
    return timeoutMs === undefined ? work : withDeadline(work, timeoutMs, late);
  }

  return { give, isGiven: () => isGiven, within, query: (statement) => within(send(statement)) };
}

/** Runs one statement. `isAnswer` tells whether an error came from the server, so that the connection works. */
export async function runOnce(
  { query, give }: Pooled<Answer>,
  statement: string,
  isAnswer: (error: unknown) => boolean,
): Promise<Answer> {
  try {
    const answer = await query(statement);
    give(false);
    return answer;
  } catch (error) {
    give(!isAnswer(error));
    throw error;
  }
}

/**
 * The connection for a handler, which works until `isOver` and cannot be given back. Calls `onUse` for every method that the
 * handler calls, with its first argument, and for every object that the handler reads from the connection. `call` decides
 * when a method is called, and gets its arguments.
 */
export function guarded<Connection extends object>(
  connection: Connection,
  isOver: () => boolean,
  onUse: (name: PropertyKey, argument?: unknown) => void = () => {},
  call: (name: PropertyKey, send: () => unknown, args: readonly unknown[]) => unknown = (_, send) => send(),
): Connection {
  return new Proxy(connection, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object') onUse(name);
      if (typeof value !== 'function' || name === 'constructor') return value;
      return (...args: unknown[]) => {
        if (isOver()) return refuse(args.at(-1));
        if (name === 'release' || name === 'destroy' || name === 'end') {
          throw storeError(`The store releases the connection itself. Remove context.tx.${name}().`);
        }
        onUse(name, args[0]);
        const result = call(name, () => Reflect.apply(value, target, args), args);
        return result === target ? receiver : result;
      };
    },
  });
}

/** Like an ended client: throwing into a callback that nobody waits for would end the process. */
export function refuse(callback: unknown): Promise<never> | undefined {
  if (typeof callback !== 'function') return refused();
  queueMicrotask(() => callback(overError()));
  return undefined;
}

/** The error for a handler that uses its transaction after the end. */
export function overError(): WebhookError {
  return storeError(
    'The transaction of this event has ended, so context.tx can no longer be used. Await every statement in the handler.',
  );
}

/** Rejects with it. If nobody waits for the statement, that does not end the process. */
export function refused(): Promise<never> {
  const refusal = Promise.reject(overError());
  refusal.catch(() => {});
  return refusal;
}
