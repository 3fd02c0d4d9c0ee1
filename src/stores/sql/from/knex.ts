import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, IsolationLevel, SqlDatabase } from '../database.js';
import { type RawConnection, runOn, transactionOn } from './raw-connection.js';
import { warnWithoutLimit } from './warning.js';

export interface KnexTransactionLike {
  readonly executionPromise: Promise<unknown>;
  isCompleted(): boolean;
  commit(): unknown;
  rollback(): unknown;
}

/** The part of a Knex instance that the store uses. */
export interface KnexLike<Tx> {
  // biome-ignore lint/suspicious/noExplicitAny: as Knex types it
  readonly client: any;
  transaction<T>(
    // biome-ignore lint/suspicious/noConfusingVoidType: as Knex types it
    scope: (tx: Tx) => Promise<T> | void,
    config?: { connection?: unknown; isolationLevel?: IsolationLevel },
  ): Promise<T>;
}

const DIALECTS: Readonly<Record<string, Dialect>> = { pg: 'postgres', mysql2: 'mysql' };

/**
 * Takes a Knex instance for `sqlStore`, for the drivers pg and mysql2. In a transaction `context.tx` is Knex's own
 * (`Knex.Transaction`). A connection that does not answer in time is closed, and over Postgres one whose session a handler
 * has changed. A handler that ends the transaction itself (`tx.commit()`) fails.
 *
 * It does not take statements that the handler has not awaited out of the transaction: Knex refuses those that come late.
 *
 * @example
 * ```ts
 * import { fromKnex, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import createKnex from 'knex';
 *
 * const connection = { connectionString: process.env.DATABASE_URL ?? '', connectionTimeoutMillis: 5000 };
 * const knex = createKnex({ client: 'pg', connection });
 * const store = sqlStore({ db: fromKnex(knex), transactional: true });
 * ```
 * @param knex Your instance. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other drivers.
 */
export function fromKnex<Tx extends KnexTransactionLike>(knex: KnexLike<Tx>): SqlDatabase<Tx> {
  if (!hasMethods<KnexLike<Tx>>(knex, 'transaction') || !hasMethods<Pool>(knex.client, 'acquireConnection')) {
    throw optionError('knex', 'an instance of Knex', knex);
  }
  const pool: Pool = knex.client;
  const dialect = Object.hasOwn(DIALECTS, pool.driverName) ? DIALECTS[pool.driverName] : undefined;
  if (!dialect) {
    throw new ConfigError(
      '`fromKnex` takes an instance for the drivers pg or mysql2. For SQLite, use fromDrizzle or the driver.',
    );
  }
  // A function gives settings that are not known yet.
  if (dialect === 'postgres' && pool.connectionSettings) {
    const hasLimit = Number(pool.connectionSettings.connectionTimeoutMillis) > 0;
    const fix = 'knex({ …, connection: { …, connectionTimeoutMillis: 5000 } })';
    warnWithoutLimit(pool, hasLimit, 'connectionTimeoutMillis', fix);
  }
  return {
    dialect,
    async run(statement, timeoutMs) {
      const connection = await pool.acquireConnection();
      return runOn(connection, () => pool.releaseConnection(connection), statement, timeoutMs);
    },
    async transaction(work, options) {
      const connection = await pool.acquireConnection();
      const { isolationLevel } = options;
      let trx: Tx | undefined;
      const steps = {
        async begin() {
          trx = await new Promise<Tx>((resolve, reject) => {
            knex.transaction(resolve, { connection, ...(isolationLevel && { isolationLevel }) }).catch(reject);
          });
          if (trx.isCompleted()) await trx.executionPromise;
          return trx;
        },
        async commit() {
          await trx?.commit();
          await trx?.executionPromise;
        },
        rollback: async () => void (await trx?.rollback()),
        release: () => pool.releaseConnection(connection),
        isEnded: () => trx?.isCompleted() ?? false,
      };
      await transactionOn(connection, dialect, steps, work, options);
    },
  };
}

interface Pool {
  readonly driverName: string;
  readonly connectionSettings?: { readonly connectionTimeoutMillis?: unknown } | undefined;
  acquireConnection(): Promise<RawConnection>;
  releaseConnection(connection: RawConnection): Promise<unknown>;
}
