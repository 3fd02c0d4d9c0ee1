import { storeError } from './postgres-client.js';
import { overError } from './postgres-transaction.js';

/** A query of postgres.js. It runs when it is first waited for, by being given to its handler. */
interface LazyQuery {
  readonly strings: readonly string[];
  handler: (query: LazyQuery) => unknown;
  readable: unknown;
  writable: unknown;
  catch(listener: (error: unknown) => void): unknown;
  reject(error: unknown): void;
}

type Callable = (...args: unknown[]) => unknown;

/** What ends the transaction. postgres.js gives its connection to others then, and goes on using it. */
const CONTROL =
  /^\s*(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+((work|transaction)\s+)?to\b))\b/i;

export class TransactionState {
  /** The handler is done, or out of time. */
  over = false;
  /** The transaction has ended, or its connection was lost. */
  closed = false;
  /** What the handler's queries failed with. */
  readonly failures = new Set<unknown>();

  /** Never resolves; rejects with what `begin` did. */
  readonly lost: Promise<never>;

  constructor(ended: Promise<unknown>) {
    const close = () => {
      this.closed = true;
    };
    ended.then(close, close);
    this.lost = new Promise((_, reject) => ended.catch(reject));
    this.lost.catch(() => {});
  }

  /** Why no query may run any more. */
  get refusal(): Error | undefined {
    return this.over || this.closed ? overError() : undefined;
  }
}

/** Until it is known that a connection was lost, if it was: that is said two turns after its query failed. */
export async function turn(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * The `sql` of a transaction for a handler. No query gets through once it is over or its connection was lost, not even
 * one that was made before: postgres.js would run it on whatever the connection is used for by then.
 */
export function containedSql<Tx extends object>(sql: Tx, state: TransactionState): Tx {
  const call = (target: Callable, args: unknown[]): unknown => contained(target(...args), state);
  return new Proxy(sql, {
    apply: (target, _, args) => call(target as Callable, args),
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'prepare') throw storeError('A transaction of the store cannot be prepared for a second phase.');
      if (name === 'savepoint') {
        return (...args: unknown[]) => {
          if (state.refusal) return Promise.reject(state.refusal);
          return Promise.race([call(value as Callable, savepoint(args, state)), state.lost]);
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

/** Makes a query ask before it runs. Whatever else it is that was called for is given back as it is. */
function contained(result: unknown, state: TransactionState): unknown {
  if (!isQuery(result)) return result;
  // It would keep the connection for as long as the stream is not done, whatever becomes of the event.
  result.readable = refuseCopy;
  result.writable = refuseCopy;
  const run = result.handler;
  result.handler = (query) => {
    const { refusal } = state;
    if (refusal) return query.reject(refusal);
    if (CONTROL.test(String(query.strings[0]))) {
      return query.reject(storeError('The store begins and ends the transaction itself: use savepoints within it.'));
    }
    query.catch((error) => state.failures.add(error));
    if (state.failures.size === 0) return run(query);
    // What failed may have been the connection.
    return turn().then(() => (state.refusal ? query.reject(state.refusal) : run(query)));
  };
  return result;
}

function refuseCopy(): never {
  throw storeError('COPY is not for a transaction of the store: a stream that is left open would keep its connection.');
}

function isQuery(value: unknown): value is LazyQuery {
  return value instanceof Object && 'handler' in value && 'strings' in value;
}
