import { optionError } from '../../../internal/check-options.js';
import type { SynchronousDatabase } from '../database.js';
import { isSqlite, runOn, type SqliteLike } from './run-on.js';

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
  return {
    dialect: 'sqlite',
    connection: db,
    runNow: runOn(db),
    state() {
      try {
        return db.inTransaction ? 'in a transaction' : 'free';
      } catch {
        // A closed connection shows itself only by this error.
        return 'closed';
      }
    },
  };
}
