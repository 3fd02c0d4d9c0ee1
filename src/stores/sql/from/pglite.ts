import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromTransaction } from './transaction.js';

interface Queries {
  query(text: string): Promise<{ rows: unknown[] }>;
}

/** The part of PGlite that the store uses. */
export interface PGliteLike<Tx extends Queries> extends Queries {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Takes a PGlite for `sqlStore`. In a transaction `context.tx` is its `Transaction`. PGlite has one session, so
 * transactions wait for each other, and settings that a handler makes with `SET`, not `SET LOCAL`, stay in the session.
 *
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite';
 * import { fromPGlite, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * const db = new PGlite('./data');
 * const store = sqlStore({ db: fromPGlite(db), transactional: true });
 * ```
 * @param db Your PGlite. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromPGlite<Tx extends Queries>(db: PGliteLike<Tx>): SqlDatabase<Tx> {
  if (!hasMethods<PGliteLike<Tx>>(db, 'query', 'transaction')) throw optionError('db', 'a PGlite', db);
  return {
    ...fromTransaction<Tx>({
      dialect: 'postgres',
      run: (statement, tx) => (tx ?? db).query(statement),
      transaction: (work, { isolationLevel }) =>
        db.transaction(async (tx) => {
          if (isolationLevel) await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`);
          await work(tx);
        }),
    }),
    keepsSession: true,
  };
}
