import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase, SynchronousDatabase } from '../database.js';
import { fromBetterSqlite3 } from './better-sqlite3.js';
import { fromBunSqlite } from './bun-sqlite.js';
import { bound, type DrizzleSession, gateOf, synchronousTransaction } from './drizzle-session.js';
import { fromLibsql } from './libsql.js';
import { fromMysql2 } from './mysql2.js';
import { fromPg } from './pg.js';
import { fromPGlite } from './pglite.js';
import { fromPostgresJs } from './postgres-js.js';
import type { SqliteLike } from './run-on.js';

/** The part of a Drizzle database that the store uses. */
export interface DrizzleLike<Tx> {
  readonly $client: unknown;
  transaction(work: (tx: Tx) => Promise<void>): Promise<void>;
}

/** A Drizzle database over a synchronous driver. */
export interface DrizzleSqliteLike<Tx> {
  readonly $client: SqliteLike;
  transaction<T>(work: (tx: Tx) => T): T;
}

/**
 * Takes a Drizzle database for `sqlStore`, over pg, postgres.js, PGlite, mysql2, @libsql/client, better-sqlite3 (or libsql) or
 * bun:sqlite. In a transaction `context.tx` is Drizzle's own; over a synchronous driver, the handler must return before its
 * turn ends. The store gets connections and ends transactions as the driver's own `from…`
 * function does, because Drizzle neither closes a connection that no longer answers nor listens to one that breaks.
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
export function fromDrizzle<Tx>(db: DrizzleSqliteLike<Tx>): SynchronousDatabase<Tx>;
export function fromDrizzle<Tx>(db: DrizzleLike<Tx>): SqlDatabase<Tx>;
export function fromDrizzle<Tx>(db: DrizzleLike<Tx>): SqlDatabase<Tx> | SynchronousDatabase<Tx> {
  const session: unknown = hasMethods<DrizzleLike<Tx>>(db, 'transaction') ? Reflect.get(db, 'session') : undefined;
  if (!hasMethods<DrizzleSession>(session, 'transaction') || Object(session.client) !== session.client) {
    throw optionError('db', 'a database of Drizzle', db);
  }
  const client = clientOf(session.client);
  if ('runNow' in client) return { ...client, connection: synchronousTransaction(session, client) as Tx };
  return {
    dialect: client.dialect,
    run: client.run,
    transaction: (work, options) =>
      client.transaction(async ({ tx, ...transaction }) => {
        const gate = gateOf(tx);
        await bound(session, gate.client).transaction(async (drizzleTx) => {
          gate.open();
          await work({ ...transaction, tx: drizzleTx as Tx }).finally(gate.close);
        });
      }, options),
  };
}

function clientOf(client: object): SqlDatabase<object> | SynchronousDatabase<SqliteLike> {
  const value = client as never;
  if ('getConnection' in client) return fromMysql2(value) as SqlDatabase<object>;
  if ('unsafe' in client) return fromPostgresJs(value);
  if ('waitReady' in client) return fromPGlite(value) as SqlDatabase<object>;
  if ('protocol' in client) return fromLibsql(value) as SqlDatabase<object>;
  if ('connect' in client) return fromPg(value) as SqlDatabase<object>;
  // D1 has `prepare`, too, but no transactions.
  if ('prepare' in client && !('batch' in client))
    return 'open' in client ? fromBetterSqlite3(value) : fromBunSqlite(value);
  throw new ConfigError(
    '`fromDrizzle` takes a database over a pool of pg or mysql2, postgres.js, PGlite, @libsql/client, better-sqlite3, libsql or bun:sqlite. For D1, pass its binding to `fromD1`.',
  );
}
