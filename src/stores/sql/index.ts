import { ConfigError } from '../../errors.js';
import { hasMethods } from '../../internal/check-client.js';
import { checkOptions, optionError } from '../../internal/check-options.js';
import type { ReconcileCursor } from '../cursor.js';
import { LEASE_OPTIONS, type LeaseOptions, resolveLeaseOptions, storeOfLeases } from '../leased-store.js';
import { type InTime, storableLetters, storableRecords } from '../storable.js';
import type { LeaseStore, Synchronous, TransactionalStore } from '../store.js';
import { runsOf, whenFree } from './busy.js';
import { sqlCursor } from './cursor.js';
import type {
  Dialect,
  IsolationLevel,
  LeaseDatabase,
  RunStatement,
  SqlDatabase,
  SynchronousDatabase,
} from './database.js';
import type { Durations, Statements } from './dialect.js';
import { answered, explaining } from './errors.js';
import { leaseTable } from './leases.js';
import { sqlLetters } from './letters.js';
import { sqlLogs } from './logs.js';
import { mysqlDdl, mysqlStatements } from './mysql.js';
import { postgresDdl, postgresStatements } from './postgres.js';
import { sqlRecords } from './records.js';
import { sqliteDdl, sqliteStatements } from './sqlite.js';
import { synchronousStore } from './synchronous.js';
import { type Table, tableOf } from './table.js';
import { transactionalStore } from './transactional.js';

export type { Synchronous } from '../store.js';
export type {
  Answer,
  Dialect,
  IsolationLevel,
  LeaseDatabase,
  RunStatement,
  SqlDatabase,
  SynchronousDatabase,
  Transaction,
  TransactionOptions,
} from './database.js';
export { type D1DatabaseLike, type D1StatementLike, fromD1 } from './from/d1.js';
export { type DrizzleLike, fromDrizzle } from './from/drizzle.js';
export { fromKnex, type KnexLike } from './from/knex.js';
export { fromKysely, type KyselyLike } from './from/kysely.js';
export { fromLibsql } from './from/libsql.js';
export { fromMysql2 } from './from/mysql2.js';
export { fromPg } from './from/pg.js';
export { fromPGlite } from './from/pglite.js';
export { fromPostgresJs } from './from/postgres-js.js';
export { fromPrisma, type PrismaLike } from './from/prisma.js';
export { fromBetterSqlite3, fromBunSqlite, fromNodeSqlite } from './from/sqlite.js';
export { fromTransaction, type TransactionSource } from './from/transaction.js';
export { type DataSourceLike, fromTypeOrm } from './from/typeorm.js';

/** Options of {@link sqlStore}. */
export interface SqlStoreOptions<Database> extends LeaseOptions {
  /** Your client or ORM, from one of the `from…` functions. The store neither opens nor closes it. */
  readonly db: Database;
  /** Whether the handler runs in the transaction that records the key, and gets it as `context.tx`. Not with D1. (Default: false.) */
  readonly transactional?: boolean | undefined;
  /** The table, or `schema.table`. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
  /** Isolation level of the transactions. SQLite has only one. (Default: the database's.) */
  readonly isolationLevel?: IsolationLevel | undefined;
}

/** The store that {@link sqlStore} creates with `transactional`. */
export interface SqlStore<Tx> extends TransactionalStore<Tx>, SqlTables {}

/** The store that {@link sqlStore} creates without `transactional`. */
export interface SqlLeaseStore extends LeaseStore, SqlTables {}

/** Methods for the tables of the store. */
export interface SqlTables {
  /** Creates the tables if they do not exist. Replicas may call it at the same time, and at every start. */
  migrate(): Promise<void>;
  /** Deletes expired keys and resolves to their number. Call it periodically, on one replica or all. */
  sweep(): Promise<number>;
  /**
   * Returns the cursor of this name for `reconcile` of `./chain`. All replicas share it. It is a row of the table
   * `<table>_cursors`, in plain text: delete the row to start over.
   *
   * @param name Up to 200 letters, digits and `_ . : @ / + -`.
   * @returns The cursor. Its methods reject with a WebhookError `ERR_WEBHOOK_STORE` if the database fails; the value
   * may have been written even then. It stores up to 1 MB.
   * @throws ConfigError `ERR_WEBHOOK_CONFIG` for another name.
   */
  cursor(name: string): ReconcileCursor;
}

type AnyDatabase = SqlDatabase<unknown> | SynchronousDatabase<unknown> | LeaseDatabase;

const DEFAULT_TABLE = 'webhook_idempotency_keys';
const SWEEP_ROWS = 10_000;
/** D1 ends queries after 30 s. Calls of requests that Workers has cancelled are never answered. */
const LEASE_DATABASE_LOST_MS = 60_000;
/** How long a statement of `migrate` or `sweep` may take, in ms. */
const MAINTENANCE_MS = 60_000;
const ISOLATION_LEVELS = ['read committed', 'repeatable read', 'serializable'];

// For a wrong option, compilers report the error of the last overload.
export function sqlStore(
  options: SqlStoreOptions<AnyDatabase> & { readonly transactional?: false | undefined },
): SqlLeaseStore;
export function sqlStore<Connection>(
  options: SqlStoreOptions<SynchronousDatabase<Connection>> & { readonly transactional: true },
): SqlStore<Synchronous<Connection>>;
/**
 * Creates a store in your database, shared by all replicas. With `transactional`, the handler runs in the transaction
 * that records the key, and gets the transaction as your client or ORM types it: the handler's writes and the key
 * commit together or not at all. Every run then uses one connection until it settles, so size the pool accordingly.
 * After a serialization failure or a deadlock the handler runs again, at most five times in all. When a handler times
 * out, its transaction becomes unusable. If a handler ends the transaction itself, the event gets 500
 * (`ERR_WEBHOOK_OUTCOME_UNKNOWN`) until you settle its key.
 *
 * Without `transactional` it does not put the handler's writes into its own transaction: the key has a lease, and if the
 * process dies between the effect and its record, the event is handled again. It does not create the table: call `migrate`.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 * import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
 * pool.on('error', (error) => console.error(error.message));
 * const store = sqlStore({ db: fromPg(pool), transactional: true });
 * await store.migrate();
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   store,
 *   onEvent: (event, { tx }) => tx.query('INSERT INTO seen (id) VALUES ($1)', [event.id]),
 * });
 * ```
 * @param options The database and the table; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function sqlStore<Tx>(
  options: SqlStoreOptions<SqlDatabase<Tx>> & { readonly transactional: true },
): SqlStore<Tx>;
export function sqlStore(options: SqlStoreOptions<AnyDatabase>): object {
  const { db, table, transactional, isolationLevel, ...lease } = resolve(options);
  const statements = DIALECTS[db.dialect].statements(table, { ...lease, isolationLevel });
  const runFor = (timeoutMs: number) => (isSynchronous(db) ? runsOf(db, timeoutMs) : runOf(db, timeoutMs));
  const plainRun = runFor(lease.timeoutMs);
  const run = explaining(plainRun, statements.table);
  const slowRun = runFor(Math.max(lease.timeoutMs, MAINTENANCE_MS));
  const inTime: InTime = (call) => answered(Promise.resolve(statements.prepare?.(run)).then(call), lease);

  const tables = {
    letters: storableLetters(sqlLetters(run, statements, lease.retentionMs), inTime),
    records: storableRecords(sqlRecords(run, statements.syntax), inTime),
    migrate: () => statements.migrate(slowRun),
    cursor: (name: string) =>
      sqlCursor({ run: plainRun, statements, dialect: db.dialect, timeoutMs: lease.timeoutMs }, name),
    async sweep() {
      let total = 0;
      for (;;) {
        const swept = await statements.sweep(slowRun, SWEEP_ROWS);
        total += swept;
        if (swept < SWEEP_ROWS) return total;
      }
    },
  };
  if (!transactional || isForLeases(db)) {
    const limits = isForLeases(db) ? { lostAfterMs: LEASE_DATABASE_LOST_MS } : {};
    return { ...storeOfLeases(leaseTable(run, statements), lease, limits), ...tables };
  }
  const store = isSynchronous(db)
    ? synchronousStore(db, statements, table, lease)
    : transactionalStore(db, statements, { ...lease, isolationLevel });
  return {
    ...store,
    ...tables,
    logs: sqlLogs(run, statements, lease, inTime),
    rememberedSince: () => Date.now() - lease.retentionMs,
  };
}

/** Options of {@link sqlDdl}. */
export interface SqlDdlOptions {
  readonly dialect: Dialect;
  /** The table, or `schema.table`. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
}

/**
 * The statements that create the store's tables, for a migration of your own.
 *
 * @example
 * ```ts
 * import { sqlDdl } from 'event-webhook-receiver/stores/sql';
 *
 * console.log(`${sqlDdl({ dialect: 'postgres' }).join(';\n')};`);
 * ```
 * @param options The dialect and the table.
 * @returns Statements without semicolons.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function sqlDdl(options: SqlDdlOptions): string[] {
  checkOptions('sqlDdl', options, ['dialect', 'table']);
  const { dialect, table = DEFAULT_TABLE } = options;
  if (!Object.hasOwn(DIALECTS, dialect)) throw optionError('dialect', "'postgres', 'mysql' or 'sqlite'", dialect);
  return DIALECTS[dialect].ddl(tableOf(table, dialect));
}

const DIALECTS: Record<
  Dialect,
  { ddl(table: Table): string[]; statements(table: Table, durations: Durations): Statements }
> = {
  postgres: { ddl: postgresDdl, statements: postgresStatements },
  mysql: { ddl: mysqlDdl, statements: mysqlStatements },
  sqlite: { ddl: sqliteDdl, statements: sqliteStatements },
};

/** Repeats a statement on a SQLite file while another connection is writing. */
function runOf(db: SqlDatabase<unknown> | LeaseDatabase, timeoutMs: number): RunStatement {
  const { dialect, run } = db;
  if (isForLeases(db)) return run;
  if (dialect === 'sqlite') {
    return (statement, _timeoutMs, values) => whenFree(() => run(statement, timeoutMs, values), timeoutMs);
  }
  return (statement) => run(statement, timeoutMs);
}

function isSynchronous(db: AnyDatabase): db is SynchronousDatabase<unknown> {
  return 'runNow' in db;
}

function isForLeases(db: AnyDatabase): db is LeaseDatabase {
  return !('runNow' in db || 'transaction' in db);
}

/** Checks the options and applies the defaults. */
function resolve(options: SqlStoreOptions<AnyDatabase>) {
  checkOptions('sqlStore', options, ['db', 'transactional', 'table', 'isolationLevel', ...LEASE_OPTIONS]);
  const { db, transactional = false, table = DEFAULT_TABLE, isolationLevel } = options;
  const isDatabase =
    hasMethods<SqlDatabase<unknown>>(db, 'run', 'transaction') ||
    hasMethods<SynchronousDatabase<unknown>>(db, 'runNow') ||
    (hasMethods<LeaseDatabase>(db, 'run') && db.dialect === 'sqlite');
  if (!isDatabase || !Object.hasOwn(DIALECTS, db.dialect)) {
    throw optionError('db', 'the result of a from… function, such as fromPg(pool)', db);
  }
  if (typeof transactional !== 'boolean') throw optionError('transactional', 'a boolean', transactional);
  if (transactional && isForLeases(db)) throw new ConfigError(FOR_LEASES);
  if (isolationLevel !== undefined && !ISOLATION_LEVELS.includes(isolationLevel)) {
    throw optionError('isolationLevel', ISOLATION_LEVELS.map((level) => `'${level}'`).join(', '), isolationLevel);
  }
  if (isolationLevel !== undefined && (!transactional || db.dialect === 'sqlite')) {
    throw optionError('isolationLevel', 'undefined without `transactional` and in SQLite', isolationLevel);
  }
  return { db, transactional, isolationLevel, table: tableOf(table, db.dialect), ...resolveLeaseOptions(options) };
}

const FOR_LEASES =
  '`transactional` must be false with fromD1: D1 has no interactive transactions. For Drizzle over @libsql/client, pass the client itself to fromLibsql. Otherwise leave it out, and write effects under a unique key with ON CONFLICT DO NOTHING, because with leases an event may be handled again after a crash.';
