import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Answer, SqlDatabase } from '../database.js';
import { answerOf, releasing, runOnce, warnWithoutLimit } from './clients.js';
import { revocable } from './revocable.js';

/** The part of a connection from a pool of mysql2 that the store uses. */
export interface Mysql2ConnectionLike {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of mysql2 constrain it, each in its own way
  query(options: { sql: string; rowsAsArray: boolean }): Promise<any>;
  release(): void;
  destroy(): void;
}

/** The part of a pool of `mysql2/promise` that the store uses. */
export interface Mysql2PoolLike<Connection> {
  getConnection(): Promise<Connection>;
}

/** A pool of `mysql2`, which calls back. */
export interface Mysql2CallbackPoolLike<Connection> {
  promise(): Mysql2PoolLike<Connection>;
}

/**
 * Takes a pool of `mysql2/promise` or of `mysql2` for `sqlStore`. In a transaction `context.tx` is its connection
 * (`PoolConnection` of `mysql2/promise`). A connection that does not answer in time is closed. A handler that ends the
 * transaction, as DDL does in MySQL, fails. Session variables that it sets stay in the session, unless the pool resets
 * its connections (`resetOnRelease: true`).
 *
 * @example
 * ```ts
 * import { fromMysql2, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { createPool } from 'mysql2/promise';
 *
 * const pool = createPool({ uri: process.env.DATABASE_URL ?? '' });
 * const store = sqlStore({ db: fromMysql2(pool), transactional: true });
 * ```
 * @param pool Your pool. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromMysql2<Connection extends Mysql2ConnectionLike>(
  pool: Mysql2PoolLike<Connection> | Mysql2CallbackPoolLike<Connection>,
): SqlDatabase<Connection> {
  return fromPool(hasMethods<Mysql2CallbackPoolLike<Connection>>(pool, 'promise') ? pool.promise() : pool);
}

function fromPool<Connection extends Mysql2ConnectionLike>(pool: Mysql2PoolLike<Connection>): SqlDatabase<Connection> {
  checkPool(pool);
  return {
    dialect: 'mysql',
    async run(statement, timeoutMs) {
      const connection = await pool.getConnection();
      const release = (destroy: boolean) => (destroy ? connection.destroy() : connection.release());
      return runOnce(() => send(connection, statement), release, isAnswer, timeoutMs);
    },
    async transaction(work, { isolationLevel }) {
      const connection = await pool.getConnection();
      const { lose, ...handler } = revocable(connection);
      const release = releasing((destroy) => (destroy ? connection.destroy() : connection.release()));
      let begin = ['START TRANSACTION'];
      if (isolationLevel) begin.unshift(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`);
      try {
        await work({
          ...handler,
          /** Sends BEGIN before the first statement, without waiting for its answer. */
          async run(statement) {
            const sent = [...begin, statement].map((text) => send(connection, text));
            begin = [];
            return (await Promise.all(sent)).at(-1) as Answer;
          },
          destroy() {
            release(true);
            // mysql2 never settles the statements in progress.
            lose();
          },
        });
        await send(connection, 'COMMIT');
      } catch (error) {
        await send(connection, 'ROLLBACK').then(
          () => release(false),
          () => release(true),
        );
        throw error;
      }
      release(false);
    },
  };
}

async function send(connection: Mysql2ConnectionLike, sql: string): Promise<Answer> {
  const [result]: unknown[] = await connection.query({ sql, ...AS_SENT });
  return Array.isArray(result) ? { rows: result } : answerOf(result);
}

/** The options for each statement, whatever those of the pool are. */
const AS_SENT = { rowsAsArray: true, nestTables: false, typeCast: true, namedPlaceholders: false };

/** Whether the error is an answer of the server, so that the connection still works. */
function isAnswer(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'sqlState' in error && !('fatal' in error && error.fatal);
}

function checkPool(pool: unknown): void {
  // Pools of other packages have results in another form.
  const isPool = hasMethods<Record<string, unknown>>(pool, 'getConnection', 'releaseConnection', 'query');
  if (!isPool) throw optionError('pool', 'a pool of mysql2 (createPool makes one), not a connection or a URL', pool);
  const { config } = Object((pool as { pool?: unknown }).pool) as {
    config?: { connectionConfig?: { connectTimeout?: unknown } };
  };
  const hasLimit = config?.connectionConfig?.connectTimeout !== 0;
  warnWithoutLimit(
    pool,
    hasLimit,
    'connectTimeout',
    'createPool({ …, connectTimeout: 10_000 }), the default of mysql2',
  );
}
