import { storeError } from '../../bounded-calls.js';
import { overError } from './postgres-session.js';

/** A transaction of postgres.js. */
export interface GuardedTransaction<Tx> {
  /** For the handler. Refuses every query after `close`, and once the connection is lost. */
  readonly tx: Tx;
  close(): void;
  /** Identifies the connection. */
  readonly connection: object;
  query(text: string): Promise<unknown>;
  /** After the end, gives the connection back to the pool. */
  release(): void;
}

/** The connection of postgres.js, in the parts that show whose it is. */
interface Connection {
  /** Another function for each transaction; null once the connection is lost. With `release` it outlives the transaction. */
  reserved: (((...args: never[]) => unknown) & { release?: boolean }) | null;
}

type Unsafe = (text: string, values?: unknown[], options?: object) => PromiseLike<unknown> & { execute(): unknown };

interface Query {
  handler: ((query: Query) => unknown) & { debug?: unknown };
  reject: (error: Error) => void;
  catch: unknown;
  readable: unknown;
  writable: unknown;
}

/**
 * Runs `begin`, and keeps postgres.js from using a connection that is lost: it would send the end of the transaction, and
 * queries of the handler, on what the pool has connected in its place.
 */
export function guardedTransaction<Tx extends object>(
  sql: { begin(options: string, work: (tx: Tx) => Promise<void>): Promise<unknown> },
  options: string,
  work: (transaction: GuardedTransaction<Tx>) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: { readonly error: unknown } | undefined;
    const ended = sql.begin(options, async (plain) => {
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
      if (typeof reserved !== 'function') throw storeError('This version of postgres.js is not supported.');
      reserved.release = true;
      let isClosed = false;
      let isBroken = false;
      const isLost = () => isBroken || connection.reserved !== reserved;
      const query = async (text: string) => {
        if (isLost()) throw storeError(LOST);
        return unsafe(text);
      };
      const state: State = {
        refusal: () => (isClosed || isLost() ? overError() : undefined),
        lose: () => {
          isBroken = true;
        },
        ended,
      };
      const transaction: GuardedTransaction<Tx> = {
        tx: guarded(plain, state),
        close() {
          isClosed = true;
        },
        connection,
        query,
        release() {
          reserved.release = false;
          // Its answer tells postgres.js that the connection is in no transaction.
          query('').catch(() => {});
        },
      };
      try {
        await work(transaction);
        if (isLost()) throw storeError(LOST);
      } catch (error) {
        failure = { error };
        if (!isLost()) throw error;
        reject(error);
        await new Promise(() => {});
      }
    });
    // What `work` failed with, even if the rollback failed, too.
    ended.then(
      () => resolve(),
      (error) => reject(failure ? failure.error : error),
    );
  });
}

interface State {
  refusal(): Error | undefined;
  /** Called when a query failed because of the connection, which postgres.js learns later. */
  lose(): void;
  readonly ended: Promise<unknown>;
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
    const error = refusal();
    if (error) return each.reject(error);
    const { reject } = each;
    each.reject = (cause) => {
      if (!('severity' in cause)) lose();
      reject(cause);
    };
    // `begin` would roll back for an error that the handler caught and undid with a savepoint.
    each.catch = () => Promise.prototype.catch.call(made, () => {});
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
  const lost = state.ended.then(() => Promise.reject(overError()));
  return Promise.race([begin(...args.slice(0, -1), callback), lost]);
}

// It would keep the connection for as long as the stream is open.
function refuseCopy(): never {
  throw storeError(
    'COPY is not supported in a transaction of the store, because an open stream would keep its connection.',
  );
}

const LOST = 'The connection of the transaction was lost, so nothing was committed.';
