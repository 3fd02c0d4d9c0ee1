import { storeError } from '../../bounded-calls.js';
import type { Answer, Run, Transaction, TransactionOptions } from '../database.js';
import { ENDED } from '../dialect.js';

/** A connection of pg or of mysql2 with callbacks, which Knex and TypeORM use. */
export interface RawConnection {
  query(text: string, callback: (error: unknown, result: unknown) => void): unknown;
}

/** What an ORM does with a connection. */
export interface ConnectionSteps<Tx> {
  begin(): Promise<Tx>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  /** Gives the connection back. */
  release(): unknown;
  /** Whether the handler ended the transaction by a method of the ORM, so that others may have the connection. */
  isEnded(): boolean;
}

export function runOn(connection: RawConnection): Run {
  return (statement) =>
    new Promise((resolve, reject) => {
      connection.query(statement, (error, result) => (error ? reject(error) : resolve(answerOf(result))));
    });
}

/** Runs a transaction with the steps of an ORM on a connection that it closes if the server does not answer. */
export async function transactionOn<Tx>(
  connection: RawConnection,
  orm: ConnectionSteps<Tx>,
  work: (transaction: Transaction<Tx>) => Promise<void>,
  { timeoutMs }: TransactionOptions,
): Promise<void> {
  const socket = socketOf(connection);
  const destroy = () => socket.destroy();
  const run = runOn(connection);
  const timer = setTimeout(destroy, timeoutMs);
  try {
    const tx = await orm.begin();
    clearTimeout(timer);
    await work({
      tx,
      destroy,
      // An ORM also gives a connection back that was lost.
      run: (statement) => (orm.isEnded() && !socket.destroyed ? Promise.reject(storeError(ENDED)) : run(statement)),
    });
    await orm.commit();
  } catch (error) {
    await orm.rollback().catch(destroy);
    throw error;
  } finally {
    clearTimeout(timer);
    await orm.release();
  }
}

/** The answer in a result of pg, or in the first half of a result of mysql2. */
export function answerOf(result: unknown): Answer {
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
