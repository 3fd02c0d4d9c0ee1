import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SynchronousDatabase } from '../database.js';

/** The common part of the synchronous SQLite drivers. */
export interface SqliteLike {
  exec(sql: string): unknown;
  prepare(sql: string): {
    all(...values: string[]): unknown[];
    run(...values: string[]): unknown;
    /** Whether the statement returns rows, in better-sqlite3 and libsql. */
    readonly reader?: boolean;
  };
}

/** The part of a connection of better-sqlite3 or libsql that the store uses. */
export interface BetterSqlite3Like extends SqliteLike {
  readonly open: boolean;
  readonly inTransaction: boolean;
}

/**
 * Takes a connection of better-sqlite3, or of libsql, for `sqlStore`. In a transaction `context.tx` is this connection, and
 * the handler must return before its turn ends: the type refuses async handlers, and a promise is refused and rolled back.
 *
 * It opens no second connection: deliveries fail while other code has a transaction open on this one, so open another
 * connection for such code.
 *
 * @example
 * ```ts
 * import Database from 'libsql';
 * import { fromBetterSqlite3, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const db = new Database('app.db');
 * const store = sqlStore({ db: fromBetterSqlite3(db), transactional: true });
 * ```
 * @param db Your open connection. The store never closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromBetterSqlite3<Connection extends BetterSqlite3Like>(
  db: Connection,
): SynchronousDatabase<Connection> {
  if (!isSqlite(db) || typeof db.inTransaction !== 'boolean' || typeof db.open !== 'boolean') {
    throw optionError('db', 'an open Database of better-sqlite3 or libsql', db);
  }
  return databaseOf(db, () => (!db.open ? 'closed' : db.inTransaction ? 'in a transaction' : 'free'));
}

/** The part of a connection of node:sqlite that the store uses. */
export interface NodeSqliteLike extends SqliteLike {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
}

/**
 * Takes a connection of node:sqlite for `sqlStore`. In a transaction `context.tx` is this connection, and the handler must
 * return before its turn ends: the type refuses async handlers, and a promise is refused and rolled back.
 *
 * It opens no second connection: deliveries fail while other code has a transaction open on this one.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite';
 * import { fromNodeSqlite, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const db = new DatabaseSync('app.db');
 * const store = sqlStore({ db: fromNodeSqlite(db), transactional: true });
 * ```
 * @param db Your open connection, in Node.js 22.16 or later. The store never closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromNodeSqlite<Connection extends NodeSqliteLike>(db: Connection): SynchronousDatabase<Connection> {
  // A closed connection throws when it is asked for a transaction.
  if (!isSqlite(db) || typeof db.isOpen !== 'boolean' || !('isTransaction' in db)) {
    throw optionError('db', 'a DatabaseSync of node:sqlite, in Node.js 22.16 or later', db);
  }
  return databaseOf(db, () => (!db.isOpen ? 'closed' : db.isTransaction ? 'in a transaction' : 'free'));
}

/** The part of a connection of bun:sqlite that the store uses. */
export interface BunSqliteLike extends SqliteLike {
  readonly inTransaction: boolean;
  readonly filename: string;
}

/**
 * Takes a connection of bun:sqlite for `sqlStore`. In a transaction `context.tx` is this connection, and the handler must
 * return before its turn ends: the type refuses async handlers, and a promise is refused and rolled back.
 *
 * It opens no second connection: deliveries fail while other code has a transaction open on this one.
 *
 * @example
 * ```ts
 * import { Database } from 'bun:sqlite';
 * import { fromBunSqlite, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const db = new Database('app.db');
 * const store = sqlStore({ db: fromBunSqlite(db), transactional: true });
 * ```
 * @param db Your open connection. The store never closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromBunSqlite<Connection extends BunSqliteLike>(db: Connection): SynchronousDatabase<Connection> {
  if (!isSqlite(db) || typeof db.filename !== 'string') throw optionError('db', 'a Database of bun:sqlite', db);
  return databaseOf(db, () => {
    try {
      return db.inTransaction ? 'in a transaction' : 'free';
    } catch {
      // A closed connection shows itself only by this error.
      return 'closed';
    }
  });
}

function databaseOf<Connection extends SqliteLike>(
  connection: Connection,
  state: SynchronousDatabase<Connection>['state'],
): SynchronousDatabase<Connection> {
  return { dialect: 'sqlite', connection, runNow: runOn(connection), state };
}

/** Most statements that a connection keeps prepared: few of them repeat. */
const MOST_PREPARED = 100;

function runOn(db: SqliteLike): SynchronousDatabase<unknown>['runNow'] {
  const prepared = new Map<string, (values: readonly string[]) => readonly object[]>();
  /** better-sqlite3 throws if `all` is called for a statement without rows. */
  function prepare(text: string) {
    const statement = db.prepare(text);
    if (statement.reader !== false) return (values: readonly string[]) => statement.all(...values) as object[];
    return (values: readonly string[]) => {
      statement.run(...values);
      return [];
    };
  }
  return (text, values) => {
    if (values === undefined) {
      // After a prepared statement that was busy, libsql's connection commits nothing.
      db.exec(text);
      return [];
    }
    const statement = prepared.get(text) ?? prepare(text);
    // Removed while the statement runs, because libsql does not reset a failed statement.
    prepared.delete(text);
    const rows = statement(values);
    if (prepared.size === MOST_PREPARED) prepared.clear();
    prepared.set(text, statement);
    return rows;
  };
}

function isSqlite(value: unknown): value is SqliteLike {
  return hasMethods<SqliteLike>(value, 'exec', 'prepare');
}
