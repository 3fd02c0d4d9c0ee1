import { optionError } from '../../../internal/check-options.js';
import type { SynchronousDatabase } from '../database.js';
import { isSqlite, runOn, type SqliteLike } from './run-on.js';

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
  return {
    dialect: 'sqlite',
    connection: db,
    runNow: runOn(db),
    state: () => (!db.isOpen ? 'closed' : db.isTransaction ? 'in a transaction' : 'free'),
  };
}
