import { storeError } from './client.js';
import { type TransactionState, turn } from './js-state.js';

/** What ends the transaction. postgres.js gives its connection to others then, and goes on using it. */
const CONTROL =
  /^\s*(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+((work|transaction)\s+)?to\b))\b/i;

/** The methods of a query that do not run it. `cancel` does not return the query, `cursor` may not, `stream` only throws. */
const SETTINGS = new Set<PropertyKey>(['simple', 'describe', 'values', 'raw', 'cursor', 'cancel', 'stream']);
const PROMISE = new Set<PropertyKey>(['then', 'catch', 'finally']);

/**
 * A query of postgres.js, which runs when it is first waited for, made to ask before it does. It can still be part of
 * another query.
 */
export function containedQuery<T>(query: Promise<T>, text: string, state: TransactionState): Promise<T> {
  /** What came of it, once it was to run. */
  let answer: Promise<T> | undefined;
  /** Calls that run it, kept until it may; undefined once it does. */
  let calls: (() => unknown)[] | undefined = [];
  const run = (call: () => unknown): Promise<T> => {
    if (calls) calls.push(call);
    else call();
    if (answer === undefined) {
      answer = start(text, state, () => {
        const kept = calls ?? [];
        calls = undefined;
        for (const each of kept) each();
        return query.then((result) => result);
      });
      answer.catch((error) => state.failures.add(error));
    }
    return answer;
  };
  return new Proxy(query, {
    get(target, name, proxy) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'constructor') return value;
      if (name === 'readable' || name === 'writable') return refuseCopy;
      return (...args: unknown[]) => {
        if (PROMISE.has(name)) {
          const settled = run(() => {});
          return Reflect.apply(Reflect.get(settled, name), settled, args);
        }
        const call = (): unknown => Reflect.apply(value, target, args);
        if (!SETTINGS.has(name)) {
          void run(call);
          return proxy;
        }
        const result = call();
        if (result === target) return proxy;
        return isIterable(result) ? containedRows(result, text, state) : result;
      };
    },
  });
}

/** Begins a query in this turn, or rejects when the transaction does not take it. */
async function start<R>(text: string, state: TransactionState, begin: () => R): Promise<Awaited<R>> {
  // What failed may have been the connection.
  if (state.failures.size > 0) await turn();
  if (state.refusal) throw state.refusal;
  if (CONTROL.test(text)) {
    throw storeError('The store begins and ends the transaction itself. Use savepoints inside it.');
  }
  return await begin();
}

/** The rows of a cursor, which is closed when the transaction does not give more of them. */
function containedRows(rows: AsyncIterable<unknown>, text: string, state: TransactionState): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = rows[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            return await start(text, state, () => iterator.next());
          } catch (error) {
            state.failures.add(error);
            await iterator.return?.();
            throw error;
          }
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return value instanceof Object && Symbol.asyncIterator in value;
}

// It would keep the connection for as long as the stream is not done, whatever becomes of the event.
function refuseCopy(): never {
  throw storeError(
    'COPY is not supported in a transaction of the store, because an open stream would keep its connection.',
  );
}
