import { ConfigError } from '../../errors.js';
import { monotonicNow } from '../../internal/deadline.js';
import { type LeaseOptions, type LeaseTable, leasedStore, resolveLeaseOptions } from '../lease.js';
import type { IdempotencyStore } from '../store.js';

/** What is used of a SQLite connection: what node:sqlite, better-sqlite3, libsql and bun:sqlite have in common. */
export interface SqliteLike {
  exec(sql: string): unknown;
  prepare(sql: string): {
    all(...parameters: (string | number)[]): unknown[];
    run(...parameters: (string | number)[]): { readonly changes: number | bigint };
  };
  /** False once it is closed; a method, or absent, where a driver has another way to say it. */
  readonly open?: unknown;
  /** Whether a transaction is open, as better-sqlite3, libsql and bun:sqlite call it. */
  readonly inTransaction?: boolean | undefined;
  /** Whether a transaction is open, as node:sqlite calls it. */
  readonly isTransaction?: boolean | undefined;
}

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions extends LeaseOptions {
  /** An open connection to a database file, for the store alone. It stays yours to close. */
  readonly database: SqliteLike;
  /** The table, made when it is not there. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
  /** The clock that leases and retention are held against, in ms; one for all processes. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** How soon a connection that found another one writing tries again. */
const BUSY_RETRY_MS = 5;
const SWEEP_EVERY = 500;
const SWEEP_ROWS = 1000;

/**
 * A store in a SQLite file: exactly once on one machine without a server. A restart forgets nothing, several processes
 * may share the file, and what is older than the retention is deleted by and by. It does not make the handler's own
 * writes part of what it records: a process that dies between both leaves an event that is handled again.
 *
 * @example
 * ```ts
 * import Database from 'libsql';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { sqliteStore } from 'event-webhook-receiver/stores/sqlite';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   toleranceSeconds: 300,
 *   store: sqliteStore({ database: new Database('webhooks.db') }),
 *   onEvent: (event) => console.log(event.id),
 * });
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense, such as a table that is no plain identifier.
 */
export function sqliteStore(options: SqliteStoreOptions): IdempotencyStore {
  const { database, table = 'webhook_idempotency_keys', now = Date.now } = options;
  const lease = resolveLeaseOptions(options);
  if (typeof database?.prepare !== 'function' || typeof database.exec !== 'function') {
    throw new ConfigError(
      'sqliteStore needs database: an open connection of node:sqlite, better-sqlite3, libsql or bun.',
    );
  }
  if (!/^[A-Za-z_]\w{0,62}$/.test(table)) {
    throw new ConfigError('Option table must be a plain identifier: letters, digits and _, at most 63.');
  }

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
   * Runs statements in a transaction that has the right to write from its beginning, so that being busy can only stop it
   * there and at its end. A statement that is busy by itself leaves libsql's connection committing nothing from then on,
   * without an error.
   */
  function commit<T>(work: (statements: ReturnType<typeof prepare>) => T): T {
    // Inside a transaction of the connection's user it would be undone with it.
    if (database.inTransaction || database.isTransaction) throw new Error('The connection is locked by a transaction.');
    // With a time-out of its own, as better-sqlite3 sets one, a busy database would stop the whole process for so long.
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
        // SQLite has done it already, as it does when a disk is full. What matters is the error before.
      }
      throw error;
    }
  }

  /** Commits as soon as nobody else is writing. What waits is this promise and not the process. */
  async function whenFree<T>(work: (statements: ReturnType<typeof prepare>) => T): Promise<T> {
    // The monotonic clock: setting the other one neither ends nor prolongs the wait.
    const end = monotonicNow() + lease.timeoutMs;
    for (;;) {
      // libsql ends the process when a closed connection is asked for anything.
      if (database.open === false) throw new Error('The database is closed.');
      try {
        return commit(work);
      } catch (error) {
        if (!isBusy(error) || monotonicNow() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
  }

  const keys: LeaseTable = {
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
  return leasedStore(keys, lease);
}

/** Whether a statement wrote its row. */
function changed({ changes }: { readonly changes: number | bigint }): boolean {
  return Number(changes) > 0;
}

/** Whether another connection is writing: the drivers agree on the words alone. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    /SQLITE_BUSY|SQLITE_LOCKED|is locked/.test(`${error.message} ${Reflect.get(error, 'code')}`)
  );
}
