import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { stopwatch } from '../../../internal/time.js';
import { storeError } from '../../bounded-calls.js';
import { whenFree } from '../busy.js';
import { type Answer, type RunStatement, type SqlDatabase, valuesOf } from '../database.js';
import { isBusy } from '../errors.js';

/** The part of a transaction of @libsql/client that the store uses. */
export interface LibsqlTransactionLike {
  execute(statement: { sql: string; args: string[] }): Promise<LibsqlResultLike>;
  executeMultiple(statements: string): Promise<void>;
  close(): void;
}

export interface LibsqlResultLike {
  readonly rows: readonly object[];
}

/** The part of a client of @libsql/client that the store uses. */
export interface LibsqlClientLike<Transaction> {
  readonly protocol: string;
  execute(statement: string): Promise<LibsqlResultLike>;
  transaction(mode: 'write'): Promise<Transaction>;
  reconnect(): unknown;
}

/**
 * Takes a client of @libsql/client with a local file for `sqlStore`. In a transaction `context.tx` is the client's
 * `Transaction`, on a connection to the file that nothing else uses, so that handlers may be async. The file has one writer
 * at a time: other deliveries wait for up to `timeoutMs`, and so does code that writes outside of the handler's `tx`.
 *
 * It does not close the connection of a transaction, because the client leaves that to garbage collection.
 *
 * @example
 * ```ts
 * import { createClient } from '@libsql/client';
 * import { fromLibsql, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const client = createClient({ url: 'file:app.db' });
 * const store = sqlStore({ db: fromLibsql(client), transactional: true });
 * ```
 * @param client Your client, with a `file:` URL. The store never closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for a client of a server.
 */
export function fromLibsql<Transaction extends LibsqlTransactionLike>(
  client: LibsqlClientLike<Transaction>,
): SqlDatabase<Transaction> {
  checkClient(client);
  /** Settles when the previous work has ended. */
  let turn: Promise<unknown> = Promise.resolve();
  let isFile: boolean | undefined;
  let busyMs = 0;

  /** Waits until the file has no other writer. The busy timeout would block the process. */
  async function begin(): Promise<Transaction> {
    if (isFile === undefined) {
      const [file, timeout] = [
        await client.execute('PRAGMA database_list'),
        await client.execute('PRAGMA busy_timeout'),
      ];
      isFile = valuesOf(file.rows[0] as object)[2] !== '';
      busyMs = Number(valuesOf(timeout.rows[0] as object)[0]);
    }
    try {
      // In one turn, because the client opens another connection whenever a transaction begins.
      const [, begun] = await Promise.all([client.execute('PRAGMA busy_timeout = 0'), client.transaction('write')]);
      return begun;
    } catch (error) {
      // The busy statement stays open on the connection, which then could not commit.
      if (isBusy(error)) await client.reconnect();
      throw error;
    } finally {
      await client.execute(`PRAGMA busy_timeout = ${busyMs}`);
    }
  }

  /** Runs `work` in a transaction after earlier work has ended. Waits for the file for up to `timeoutMs` in all. */
  function transact(
    work: (transaction: Transaction, close: () => void) => Promise<void>,
    timeoutMs: number,
  ): Promise<void> {
    const elapsedMs = stopwatch();
    let closed: () => void = ignore;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const ended = turn.then(async () => {
      const transaction = await whenFree(begin, timeoutMs - elapsedMs());
      const close = () => {
        transaction.close();
        closed();
      };
      try {
        if (!isFile) throw storeError(IN_MEMORY);
        await work(transaction, close);
        // If a reader delays it, `commit` would leave a statement open, which keeps the lock.
        await transaction.executeMultiple('COMMIT');
      } finally {
        // Rolls back an uncommitted transaction.
        close();
      }
    });
    turn = Promise.race([ended.catch(ignore), isClosed]);
    return ended;
  }

  return {
    dialect: 'sqlite',
    async run(statement, timeoutMs = 0, values = []) {
      let answer: Answer = { rows: [] };
      await transact(async (transaction) => {
        answer = await runIn(transaction)(statement, undefined, values);
      }, timeoutMs);
      return answer;
    },
    transaction: (work, { timeoutMs }) => transact((tx, destroy) => work({ tx, run: runIn(tx), destroy }), timeoutMs),
  };
}

const runIn =
  (transaction: LibsqlTransactionLike): RunStatement =>
  (sql, _timeoutMs, values = []) =>
    transaction.execute({ sql, args: [...values] });

function checkClient(client: unknown): void {
  if (!hasMethods<LibsqlClientLike<unknown>>(client, 'execute', 'transaction', 'reconnect')) {
    throw optionError('client', 'a Client of @libsql/client', client);
  }
  if (client.protocol !== 'file') {
    throw new ConfigError('`client` must be a Client with a `file:` URL: the store does not support libsql servers.');
  }
}

const IN_MEMORY =
  'The client of libsql opens another, empty database after each transaction in memory. Use a `file:` URL, or fromBetterSqlite3 with the package libsql.';

function ignore(): void {}
