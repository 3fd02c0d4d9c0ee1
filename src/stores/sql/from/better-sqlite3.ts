import { optionError } from '../../../internal/check-options.js';
import type { SynchronousDatabase } from '../database.js';
import { isSqlite, runOn, type SqliteLike } from './run-on.js';

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
  return {
    dialect: 'sqlite',
    connection: db,
    runNow: runOn(db),
    state: () => (!db.open ? 'closed' : db.inTransaction ? 'in a transaction' : 'free'),
  };
}
