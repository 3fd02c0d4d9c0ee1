import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Answer, SqlDatabase } from '../database.js';
import { watched } from './mysql2-watch.js';
import { type Pooled, pooled, runOnce } from './pooled.js';
import { socketOf } from './socket.js';
import { warnWithoutLimit } from './warning.js';

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

/**
 * Takes a pool of `mysql2/promise` for `sqlStore`. In a transaction `context.tx` is its connection (`PoolConnection`), which
 * works until the handler settles. A connection that does not answer in time is closed. A handler that changes settings of
 * its session, or that ends the transaction, as DDL does in MySQL, fails.
 *
 * It does not notice settings that a trigger or a stored function changes. It does not remove temporary tables and variables
 * that a handler leaves in its session: drop them, or let the pool reset its connections (`resetOnRelease: true`).
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
  pool: Mysql2PoolLike<Connection>,
): SqlDatabase<Connection> {
  checkPool(pool);
  return {
    dialect: 'mysql',
    run: async (statement, timeoutMs) => runOnce(open(await pool.getConnection(), timeoutMs), statement, isAnswer),
    async transaction(work, { isolationLevel, timeoutMs }) {
      const connection = await pool.getConnection();
      const { query, give, isGiven } = open(connection, timeoutMs);
      const { inTurn, ...handler } = watched(connection, isGiven);
      const send = open(connection).query;
      try {
        if (isolationLevel) await query(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`);
        await query('START TRANSACTION');
        await work({
          ...handler,
          run: (statement) => inTurn(() => send(statement)),
          destroy: () => give(true),
        });
        handler.close();
        await query('COMMIT');
        give(false);
      } catch (error) {
        handler.close();
        if (!isGiven())
          await query('ROLLBACK').then(
            () => give(false),
            () => give(true),
          );
        throw error;
      }
    },
  };
}

/** A connection that was taken from the pool. */
function open(connection: Mysql2ConnectionLike, timeoutMs?: number): Pooled<Answer> {
  async function send(sql: string): Promise<Answer> {
    const [result]: unknown[] = await connection.query({ sql, ...AS_SENT });
    if (Array.isArray(result)) return { rows: result };
    return { rows: [], changed: (result as { affectedRows: number }).affectedRows };
  }
  return pooled(send, (destroy) => (destroy ? close(connection) : connection.release()), timeoutMs);
}

/**
 * Closes the socket first, so that mysql2 rejects the statements under way. After `destroy` it ignores that the connection
 * ends, and they would never settle unless the server answers them.
 */
function close(connection: Mysql2ConnectionLike): void {
  const socket = socketOf(connection);
  if (!socket || socket.closed) connection.destroy();
  else socket.once('close', () => connection.destroy()).destroy();
}

/** Whatever the pool's own options are. */
const AS_SENT = { rowsAsArray: true, nestTables: false, typeCast: true, namedPlaceholders: false };

/** Whether the server answered with the error, so that the connection works. */
export function isAnswer(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'sqlState' in error && !('fatal' in error && error.fatal);
}

function checkPool(pool: unknown): void {
  // Pools of mysql2 without promises have these methods, too, and those of other packages answer in another form.
  const isPool = hasMethods<Record<string, unknown>>(pool, 'getConnection', 'releaseConnection', 'query');
  if (!isPool || hasMethods<Record<string, unknown>>(pool, 'promise')) {
    throw optionError('pool', 'a pool of mysql2/promise (pool.promise() makes one), not a connection or a URL', pool);
  }
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
