import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { type Answer, type SqlDatabase, valuesOf } from '../database.js';
import { refused } from './pooled.js';

interface Queries {
  query(text: string, params?: string[]): Promise<{ rows: unknown[] }>;
}

/** The part of PGlite that the store uses. */
export interface PGliteLike<Tx extends Queries> extends Queries {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Takes a PGlite for `sqlStore`. In a transaction `context.tx` is its `Transaction`, which works until the handler settles.
 * PGlite has one session, so transactions wait for each other. Settings that a handler changes are restored; custom ones
 * (`SET app.tenant`; use `SET LOCAL`), temporary tables, `PREPARE` and `LISTEN` remain.
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
  const read = async (answer: Promise<{ rows: unknown[] }>): Promise<Answer> => ({
    rows: (await answer).rows as object[],
  });

  return {
    dialect: 'postgres',
    run: (statement) => read(db.query(statement)),
    async transaction(work, { isolationLevel }) {
      let settings: string | undefined;
      try {
        await db.transaction(async (tx) => {
          if (isolationLevel) await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`);
          [settings] = valuesOf((await tx.query(SETTINGS)).rows[0] as object);
          let isClosed = false;
          await work({
            tx: guarded(tx, () => isClosed),
            run: (statement) => read(tx.query(statement)),
            close() {
              isClosed = true;
            },
          });
        });
      } finally {
        if (settings !== undefined) await db.query(RESTORE, [settings]);
      }
    },
  };
}

const ALL = `(SELECT name, setting FROM pg_settings
    WHERE name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')
  UNION ALL SELECT 'role', current_setting('role'))`;
const SETTINGS = `SELECT json_object_agg(name, setting)::text FROM ${ALL} AS settings`;
const RESTORE = `SELECT pg_advisory_unlock_all()::text UNION ALL SELECT set_config(name, before.value, false)
  FROM ${ALL} AS settings JOIN json_each_text($1::json) AS before ON before.key = name
  WHERE setting IS DISTINCT FROM before.value`;

/** The transaction for a handler, which works until `isClosed`. */
function guarded<Tx extends object>(tx: Tx, isClosed: () => boolean): Tx {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => (isClosed() ? refused() : Reflect.apply(value, target, args));
    },
  });
}
