import { storeError } from '../../bounded-calls.js';
import {
  type Answer,
  type Dialect,
  type Run,
  type Transaction,
  type TransactionOptions,
  valuesOf,
} from '../database.js';
import { ENDED } from '../dialect.js';
import { SESSION } from './postgres-session.js';

/** A connection of pg or of mysql2 with callbacks, which Knex and TypeORM use. */
export interface RawConnection {
  query(text: string, callback: (error: unknown, result: unknown) => void): unknown;
}

/** What an ORM does with a connection. */
export interface ConnectionSteps<Tx> {
  begin(): Promise<Tx>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  /** Gives the connection back, which may be closed. */
  release(isClosed: boolean): unknown;
  /** Whether the handler ended the transaction by a method of the ORM, so that others may have the connection. */
  isEnded(): boolean;
}

/** What the sessions were like before the first handler. */
const sessions = new WeakMap<RawConnection, string>();

/** Runs a statement on a connection, and closes it if there is no answer in time. */
export async function runOnce(connection: RawConnection, statement: string, timeoutMs?: number): Promise<Answer> {
  const { run, bounded } = open(connection, timeoutMs);
  return bounded(() => run(statement));
}

/** Runs a transaction with the steps of an ORM. Closes the connection if the server does not answer, or the session changed. */
export async function transactionOn<Tx>(
  connection: RawConnection,
  dialect: Dialect,
  orm: ConnectionSteps<Tx>,
  work: (transaction: Transaction<Tx>) => Promise<void>,
  { timeoutMs }: TransactionOptions,
): Promise<void> {
  const { run, bounded, socket } = open(connection, timeoutMs);
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    await orm.release(socket.destroyed);
  };
  // Its place in the pool is free at once.
  const destroy = () => {
    socket.destroy();
    void release();
  };
  const session = async () => valuesOf((await run(SESSION)).rows[0] as object)[0] as string;

  async function giveBack(): Promise<void> {
    const isSame =
      dialect !== 'postgres' || (await bounded(session).catch(() => undefined)) === sessions.get(connection);
    if (!isSame) destroy();
    await release();
  }

  try {
    const tx = await bounded(async () => {
      if (dialect === 'postgres' && !sessions.has(connection)) sessions.set(connection, await session());
      return orm.begin();
    });
    await work({
      tx,
      destroy,
      // An ORM also gives a connection back that was lost.
      run: (statement) => (orm.isEnded() && !socket.destroyed ? Promise.reject(storeError(ENDED)) : run(statement)),
    });
    await orm.commit();
  } catch (error) {
    await bounded(() => orm.rollback()).catch(destroy);
    await giveBack();
    throw error;
  }
  // Not awaited: the transaction is committed.
  void giveBack();
}

function open(connection: RawConnection, timeoutMs?: number) {
  const socket = socketOf(connection);
  const run: Run = (statement) =>
    new Promise((resolve, reject) => {
      connection.query(statement, (error, result) => (error ? reject(error) : resolve(answerOf(result))));
    });
  return {
    socket,
    run,
    /** Closes the connection if the server does not answer in time, so that what waits for it rejects. */
    async bounded<T>(ask: () => Promise<T>): Promise<T> {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => socket.destroy(), timeoutMs);
      try {
        return await ask();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The answer in a result of pg or mysql2. */
function answerOf(result: unknown): Answer {
  if (Array.isArray(result)) return { rows: result };
  const { rows = [], rowCount, affectedRows } = result as Result;
  return { rows, changed: rowCount ?? affectedRows };
}

interface Result {
  readonly rows?: object[];
  readonly rowCount?: number | null;
  readonly affectedRows?: number;
}

/** Both clients wait for the server when they end a connection themselves. A pool drops one whose socket has closed. */
function socketOf(connection: object): { readonly destroyed: boolean; destroy(): unknown } {
  return Reflect.get(connection, 'stream') ?? Reflect.get(Reflect.get(connection, 'connection'), 'stream');
}
