import { type ClientOption, checkClientOptions, hasMethods } from '../../internal/check-client.js';
import { checkFunction, optionError } from '../../internal/check-options.js';
import { monotonicNow } from '../../internal/deadline.js';
import {
  LEASE_OPTIONS,
  type LeaseOptions,
  type Leases,
  leasedStore,
  oneByOne,
  resolveLeaseOptions,
} from '../leased-store.js';
import type { IdempotencyStore } from '../store.js';

/** The part of a SQLite connection that node:sqlite, better-sqlite3, libsql and bun:sqlite have in common. */
export interface SqliteLike {
  exec(sql: string): unknown;
  prepare(sql: string): {
    all(...parameters: (string | number)[]): unknown[];
    run(...parameters: (string | number)[]): { readonly changes: number | bigint };
  };
  /** False once it is closed; a method or absent in other drivers. */
  readonly open?: unknown;
  /** Whether a transaction is open, as better-sqlite3, libsql and bun:sqlite call it. */
  readonly inTransaction?: boolean | undefined;
  /** Whether a transaction is open, as node:sqlite calls it. */
  readonly isTransaction?: boolean | undefined;
}

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions extends LeaseOptions {
  /** Your open connection to a database file. The store must be its only user, and never closes it. */
  readonly database: SqliteLike;
  /** The table, created if it does not exist. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
  /** Clock for leases and retention, in ms since the epoch; all processes must share it. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** Delay before the next try when another connection is writing, in ms. */
const BUSY_RETRY_MS = 5;
const SWEEP_EVERY = 500;
const SWEEP_ROWS = 1000;

const DATABASE: ClientOption = {
  name: 'database',
  takes: 'an open connection of node:sqlite, better-sqlite3, libsql or bun:sqlite',
  isClient: (value) => hasMethods<SqliteLike>(value, 'prepare', 'exec'),
};

/**
 * Creates a store in a SQLite file: an event takes effect once on one machine, without a server. Keys survive a restart,
 * several processes may share the file, and expired keys are deleted periodically.
 *
 * It does not put the handler's writes into its own transaction: if the process dies between the two, the event is handled
 * again.
 *
 * @example
 * ```ts
 * import Database from 'libsql';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { sqliteStore } from 'event-webhook-receiver/stores/sqlite';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   store: sqliteStore({ database: new Database('webhooks.db') }),
 *   onEvent: (event) => console.log(event.id),
 * });
 * ```
 * @param options The connection and the table; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function sqliteStore(options: SqliteStoreOptions): IdempotencyStore {
  checkClientOptions('sqliteStore', options, DATABASE, ['database', 'table', 'now', ...LEASE_OPTIONS]);
  const { database, table = 'webhook_idempotency_keys', now = Date.now } = options;
  const lease = resolveLeaseOptions(options);
  if (typeof table !== 'string' || !/^[A-Za-z_]\w{0,62}$/.test(table)) {
    throw optionError('table', 'an identifier of at most 63 letters, digits and _', table);
  }
  checkFunction('now', now);

  let prepared: ReturnType<typeof prepare> | undefined;
  let claims = 0;

  function prepare() {
    database.exec(
      `CREATE TABLE IF NOT EXISTS "${table}" (key TEXT PRIMARY KEY, owner TEXT NOT NULL, done INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
    database.exec(`CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at)`);
    const upsert = `INSERT INTO "${table}" (key, owner, done, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = excluded.done, expires_at = excluded.expires_at`;
    return {
      claim: database.prepare(`${upsert} WHERE "${table}".expires_at <= ?`),
      find: database.prepare(`SELECT done FROM "${table}" WHERE key = ?`),
      complete: database.prepare(`${upsert} WHERE "${table}".owner = excluded.owner`),
      release: database.prepare(`DELETE FROM "${table}" WHERE key = ? AND owner = ? AND done = 0`),
      sweep: database.prepare(
        `DELETE FROM "${table}" WHERE key IN (SELECT key FROM "${table}" WHERE expires_at <= ? LIMIT ?)`,
      ),
    };
  }

  /**
   * Runs statements in a transaction that has the write lock from its beginning, so that it can only be busy there and at
   * its end. After a busy statement, libsql's connection silently commits nothing from then on.
   */
  function commit<T>(work: (statements: ReturnType<typeof prepare>) => T): T {
    // Inside a transaction of other code, a rollback would undo that code's writes.
    if (database.inTransaction || database.isTransaction) {
      throw new Error('The connection is locked by a transaction. Give the store its own connection.');
    }
    // With the timeout that better-sqlite3 sets, a busy database would block the whole process for as long.
    if (prepared === undefined) database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN IMMEDIATE');
    try {
      const statements = prepared ?? prepare();
      const result = work(statements);
      database.exec('COMMIT');
      prepared = statements;
      return result;
    } catch (error) {
      try {
        database.exec('ROLLBACK');
      } catch {
        // SQLite rolls back by itself on some errors, such as a full disk. The error before this one matters.
      }
      throw error;
    }
  }

  /** Commits as soon as no other connection is writing, without blocking the process. */
  async function whenFree<T>(work: (statements: ReturnType<typeof prepare>) => T): Promise<T> {
    // Monotonic, so that setting the wall clock neither ends nor prolongs the wait.
    const end = monotonicNow() + lease.timeoutMs;
    for (;;) {
      // libsql crashes the process when a closed connection is used.
      if (database.open === false) throw new Error('The database is closed.');
      try {
        return commit(work);
      } catch (error) {
        if (!isBusy(error) || monotonicNow() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
  }

  const keys: Leases = {
    claim: (key, owner) =>
      whenFree(({ claim, find, sweep }) => {
        const time = now();
        if (claims++ % SWEEP_EVERY === 0) sweep.run(time, SWEEP_ROWS);
        if (changed(claim.run(key, owner, 0, time + lease.leaseMs, time))) return 'claimed';
        const [row] = find.all(key) as { done: number | bigint }[];
        return Number(row?.done) === 1 ? 'duplicate' : 'in-progress';
      }),
    complete: (key, owner) =>
      whenFree(({ complete }) => changed(complete.run(key, owner, 1, now() + lease.retentionMs))),
    release: (key, owner) => whenFree(({ release }) => release.run(key, owner)),
  };
  return leasedStore(oneByOne(keys), lease);
}

/** Whether a statement wrote its row. */
function changed({ changes }: { readonly changes: number | bigint }): boolean {
  return Number(changes) > 0;
}

/** Whether another connection is writing. The drivers have only the message in common. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    /SQLITE_BUSY|SQLITE_LOCKED|is locked/.test(`${error.message} ${Reflect.get(error, 'code')}`)
  );
}
