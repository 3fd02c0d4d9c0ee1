import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { IsolationLevel, LeaseDatabase, SqlDatabase, SynchronousDatabase } from '../database.js';
import { fromMysql2 } from './mysql2.js';
import { fromPg } from './pg.js';
import { fromPGlite } from './pglite.js';
import { fromPostgresJs } from './postgres-js.js';
import { fromBetterSqlite3, fromBunSqlite, type SqliteLike } from './sqlite.js';
import { fromTransaction } from './transaction.js';

interface Queries {
  execute(statement: string): PromiseLike<unknown>;
}

/** The part of a Drizzle database that the store uses. */
export interface DrizzleLike<Tx> {
  readonly $client: unknown;
  transaction<T>(work: (tx: Tx) => Promise<T>, config?: { isolationLevel: IsolationLevel }): Promise<T>;
}

/** A Drizzle database over a synchronous driver. */
export interface DrizzleSqliteLike<Tx> {
  readonly $client: SqliteLike;
  transaction<T>(work: (tx: Tx) => T): T;
}

/** A Drizzle database over @libsql/client. */
export interface DrizzleLibsqlLike {
  readonly $client: LibsqlLike & { readonly protocol: string };
}

/**
 * Takes a Drizzle database for `sqlStore`, over pg, postgres.js, PGlite, mysql2, better-sqlite3 (or libsql) or
 * bun:sqlite, and only for leases over @libsql/client. In a transaction `context.tx` is Drizzle's own; over a
 * synchronous driver it is the database, and the handler must return before its turn ends. Drizzle cannot close a
 * connection that no longer answers: it stays in the pool until the operating system gives it up.
 *
 * @example
 * ```ts
 * import { fromDrizzle, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { drizzle } from 'drizzle-orm/node-postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
 * const store = sqlStore({ db: fromDrizzle(drizzle(pool)), transactional: true });
 * ```
 * @param db Your database. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and as the function of the driver does.
 */
export function fromDrizzle<Tx, Db extends DrizzleSqliteLike<Tx>>(
  db: Db & DrizzleSqliteLike<Tx>,
): SynchronousDatabase<Db>;
export function fromDrizzle<Tx extends object>(db: DrizzleLike<Tx>): SqlDatabase<Tx>;
export function fromDrizzle(db: DrizzleLibsqlLike): LeaseDatabase;
export function fromDrizzle<Tx extends object>(
  given: DrizzleLike<Tx> | DrizzleLibsqlLike,
): SqlDatabase<Tx> | SynchronousDatabase<unknown> | LeaseDatabase {
  const db = given as DrizzleLike<Tx>;
  const client: unknown = hasMethods<DrizzleLike<Tx>>(db, 'transaction') ? Reflect.get(db, '$client') : undefined;
  if (Object(client) !== client) throw optionError('db', 'a database of Drizzle', db);
  if ('protocol' in (client as object)) return leasesOf(client as LibsqlLike);
  const driver = clientOf(client as object);
  // The driver has one connection, so all that Drizzle does in the turn of the handler is part of the transaction.
  if ('runNow' in driver) return { ...driver, connection: db };
  const { dialect, run, keepsSession } = driver;
  return {
    ...fromTransaction<Tx>({
      dialect: dialect as 'postgres' | 'mysql',
      run: (statement, tx) => (tx as Queries).execute(statement),
      // Drizzle sends SET TRANSACTION for any value other than undefined.
      transaction: (work, { isolationLevel }) => db.transaction(work, isolationLevel && { isolationLevel }),
    }),
    keepsSession,
    run,
  };
}

function clientOf(client: object): SqlDatabase<object> | SynchronousDatabase<SqliteLike> {
  const value = client as never;
  if ('getConnection' in client) return fromMysql2(value) as SqlDatabase<object>;
  if ('unsafe' in client) return fromPostgresJs(value);
  if ('waitReady' in client) return fromPGlite(value) as SqlDatabase<object>;
  if ('connect' in client) return fromPg(value) as SqlDatabase<object>;
  // D1 also has `prepare`, but no transactions.
  if ('prepare' in client && !('batch' in client))
    return 'open' in client ? fromBetterSqlite3(value) : fromBunSqlite(value);
  throw new ConfigError(
    '`fromDrizzle` takes a database over a pool of pg or mysql2, postgres.js, PGlite, better-sqlite3, libsql or bun:sqlite. For D1, pass its binding to `fromD1`.',
  );
}

interface LibsqlLike {
  execute(statement: { sql: string; args: string[] }): Promise<{ readonly rows: readonly object[] }>;
}

/** Leases only: Drizzle cannot wait for a busy file within a transaction. */
function leasesOf(client: LibsqlLike): LeaseDatabase {
  return {
    dialect: 'sqlite',
    run: async (sql, _timeoutMs, values = []) => ({ rows: (await client.execute({ sql, args: [...values] })).rows }),
  };
}
