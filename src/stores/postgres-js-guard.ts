import { storeError } from './postgres-client.js';
import { containedQuery } from './postgres-js-query.js';
import { type TransactionState, turn } from './postgres-js-state.js';

/** The texts of queries, which can be parts of others. */
const texts = new WeakMap<object, string>();

type Callable = (...args: unknown[]) => unknown;

/**
 * The `sql` of a transaction for a handler. No query gets through once it is over or its connection was lost, not even
 * one that was made before: postgres.js would run it on whatever the connection is used for by then.
 */
export function containedSql<Tx extends object>(sql: Tx, state: TransactionState): Tx {
  const call = (target: Callable, args: unknown[]): unknown => {
    const made = target(...args);
    // A template makes a query, and so does unsafe(); what else `sql` makes is part of one.
    if (!(made instanceof Promise)) return made;
    const text = textOf(args);
    const query = containedQuery(made, text, state);
    texts.set(query, text);
    return query;
  };
  return new Proxy(sql, {
    apply: (target, _, args) => call(target as Callable, args),
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'prepare') throw storeError('A transaction of the store cannot be prepared for a second phase.');
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          if (state.refusal) return Promise.reject(state.refusal);
          return Promise.race([(value as Callable)(...savepoint(args, state)), state.lost]);
        };
      }
      if (name === 'file')
        throw storeError('context.tx.file() reads on its own time: read the file, and give its text to unsafe().');
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

/** The text of a query: of a template with what are queries among its values, or what unsafe() is given. */
function textOf([query, ...values]: unknown[]): string {
  if (!Array.isArray(query)) return String(query);
  const parts = values.map((value) => [value].flat().map(partOf).join(' '));
  return query.reduce((text, next, index) => `${text}${parts[index - 1]}${next}`);
}

const partOf = (value: unknown): string => (value instanceof Object && texts.get(value)) || ' ';
