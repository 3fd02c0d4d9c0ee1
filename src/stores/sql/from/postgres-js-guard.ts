import { storeError } from '../../bounded-calls.js';
import { overError } from './pooled.js';

/** A transaction of postgres.js. */
export interface GuardedTransaction<Tx> {
  /** For the handler. Refuses every query after `close`, and once the connection is lost. */
  readonly tx: Tx;
  close(): void;
  /** Identifies the connection. */
  readonly connection: object;
  query(text: string): Promise<unknown>;
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>;
  /** After the end, gives the connection back to the pool. */
  release(): void;
  /** After the end, closes the connection. */
  destroy(): void;
}

/** The connection of postgres.js, in the parts that show whose it is. */
interface Connection {
  /** Another function for each transaction; null once the connection is lost. With `release` it outlives the transaction. */
  reserved: (((...args: never[]) => unknown) & { release?: boolean }) | null;
  /** Says goodbye to the server. An error of the server instead would be passed to the query after the next connect. */
  terminate(): void;
}

type Unsafe = (text: string, values?: unknown[], options?: object) => PromiseLike<unknown> & { execute(): unknown };

interface Query {
  handler: ((query: Query) => unknown) & { debug?: unknown };
  reject: (error: Error) => void;
  readable: unknown;
  writable: unknown;
}

/**
 * Opens a transaction whose `begin` never ends: postgres.js prepares its COMMIT, which behind a connection pooler aborts the
 * transaction and then succeeds, and it ends transactions on what it has connected in place of a lost connection.
 */
export function openTransaction<Tx extends object>(
  sql: { begin(options: string, work: (tx: Tx) => Promise<void>): Promise<unknown> },
  options: string,
): Promise<GuardedTransaction<Tx>> {
  return new Promise((resolve, reject) => {
    const begun = sql.begin(options, async (plain) => {
      const unsafe = Reflect.get(plain, 'unsafe') as Unsafe;
      const connection = await new Promise<Connection>((found) => {
        const onexecute = (each: Connection) => {
          found(each);
          return true;
        };
        // Empty, and sent together with the next.
        unsafe('', [], { onexecute }).execute();
      });
      const { reserved } = connection;
      if (typeof reserved !== 'function' || typeof connection.terminate !== 'function') {
        throw storeError('This version of postgres.js is not supported.');
      }
      reserved.release = true;
      let isClosed = false;
      let isBroken = false;
      const isLost = () => isBroken || connection.reserved !== reserved;
      const lost = begun.then(() => Promise.reject(storeError(LOST)));
      lost.catch(() => {});
      const query = (text: string): Promise<unknown> =>
        isLost() ? Promise.reject(storeError(LOST)) : Promise.race([unsafe(text), lost]);
      const state: State = {
        refusal: () => (isClosed || isLost() ? overError() : undefined),
        lose: () => {
          isBroken = true;
        },
        lost,
      };
      resolve({
        tx: guarded(plain, state),
        close() {
          isClosed = true;
        },
        connection,
        query,
        lost,
        release() {
          reserved.release = false;
          // Its answer tells postgres.js that the connection is in no transaction.
          query('').catch(() => {});
        },
        destroy() {
          if (!isLost()) connection.terminate();
        },
      });
      await new Promise(() => {});
    });
    begun.catch(reject);
  });
}

interface State {
  refusal(): Error | undefined;
  /** Called when a query failed because of the connection, which postgres.js learns later. */
  lose(): void;
  readonly lost: Promise<never>;
}

function guarded<Tx extends object>(sql: Tx, state: State): Tx {
  return new Proxy(sql, {
    apply: (target, _, args) => guardedQuery(Reflect.apply(target as never, undefined, args), state),
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'unsafe')
        return (...args: unknown[]) => guardedQuery(Reflect.apply(value as never, target, args), state);
      if (name === 'savepoint') return (...args: unknown[]) => savepoint(value as never, args, state);
      if (name === 'prepare' || name === 'file') {
        throw storeError(
          `context.tx.${name}() is not supported: the store commits the transaction itself, after every query.`,
        );
      }
      return value;
    },
  });
}

/** Postgres.js sends a query when it is first awaited. It can be part of another query before. */
function guardedQuery(made: unknown, { refusal, lose }: State): unknown {
  if (!(made instanceof Promise)) return made;
  const query = made as object as Query;
  const { handler } = query;
  const handle = (each: Query) => {
    // An error that nobody waits for must not end the process.
    Promise.prototype.catch.call(made, () => {});
    const error = refusal();
    if (error) return each.reject(error);
    const { reject } = each;
    each.reject = (cause) => {
      if (!('severity' in cause)) lose();
      reject(cause);
    };
    return handler(each);
  };
  query.handler = Object.assign(handle, { debug: handler.debug });
  query.readable = refuseCopy;
  query.writable = refuseCopy;
  return made;
}

/** Leaves the callback as it is once the connection is lost, because postgres.js would roll back to the savepoint on another. */
function savepoint(begin: (...args: unknown[]) => Promise<unknown>, args: unknown[], state: State): Promise<unknown> {
  const refusal = state.refusal();
  if (refusal) return Promise.reject(refusal);
  const work = args.at(-1) as (sql: object) => unknown;
  const callback = async (sql: object) => {
    try {
      const result = await work(guarded(sql, state));
      return Array.isArray(result) ? await Promise.all(result) : result;
    } finally {
      if (state.refusal()) await new Promise(() => {});
    }
  };
  return Promise.race([begin(...args.slice(0, -1), callback), state.lost]);
}

// It would keep the connection for as long as the stream is open.
function refuseCopy(): never {
  throw storeError(
    'COPY is not supported in a transaction of the store, because an open stream would keep its connection.',
  );
}

const LOST = 'The connection of the transaction was lost, so nothing was committed.';
