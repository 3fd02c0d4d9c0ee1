import { storeError } from './client.js';
import { containedQuery } from './js-query.js';
import { type TransactionState, turn } from './js-state.js';

type Callable = (...args: unknown[]) => unknown;

/**
 * The `sql` of a transaction for a handler. No query gets through once it is over or its connection was lost, not even
 * one that was made before: postgres.js would run it on whatever the connection is used for by then.
 */
export function containedSql<Tx extends object>(sql: Tx, state: TransactionState): Tx {
  const call = (target: Callable, args: unknown[]): unknown => {
    const made = target(...args);
    // A template makes a query, and so does unsafe(); what else `sql` makes is part of one.
    return made instanceof Promise ? containedQuery(made, textOf(args[0]), state) : made;
  };
  return new Proxy(sql, {
    apply: (target, _, args) => call(target as Callable, args),
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'prepare')
        throw storeError('context.tx.prepare() is not supported: the store commits the transaction itself.');
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          if (state.refusal) return Promise.reject(state.refusal);
          return Promise.race([(value as Callable)(...savepoint(args, state)), state.lost]);
        };
      }
      if (name === 'file')
        throw storeError(
          'context.tx.file() is not supported. Read the file, and pass its text to context.tx.unsafe().',
        );
      if (name === 'unsafe') return (...args: unknown[]) => call(value as Callable, args);
      return value;
    },
  });
}

/** Arguments of `savepoint` whose callback gets a contained `sql`, and is left as it is when the connection was lost. */
function savepoint(args: unknown[], state: TransactionState): unknown[] {
  const work = args.at(-1) as (sql: object) => unknown;
  const callback = async (sql: object) => {
    const result = new Promise((resolve) => resolve(work(containedSql(sql, state))));
    const all = result.then((value) => (Array.isArray(value) ? Promise.all(value) : value));
    await all.then(turn, turn);
    return state.closed ? new Promise(() => {}) : all;
  };
  return [...args.slice(0, -1), callback];
}

/** What a query begins with: a template, or the text that unsafe() is given. */
function textOf(query: unknown): string {
  return String(Array.isArray(query) ? query[0] : query);
}
