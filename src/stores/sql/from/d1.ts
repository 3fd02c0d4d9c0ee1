import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { LeaseDatabase } from '../database.js';

/** The part of a statement of D1 that the store uses. */
export interface D1StatementLike {
  bind(...values: string[]): D1StatementLike;
  all(): Promise<{ readonly results: readonly object[] }>;
}

/** The part of a D1 database that the store uses. */
export interface D1DatabaseLike {
  prepare(statement: string): D1StatementLike;
  batch: unknown;
  /** Only databases have `exec`, not sessions. The store must not read from replicas, which may lag behind. */
  exec: unknown;
}

/**
 * Takes the binding of a Cloudflare D1 database for `sqlStore`, for leases: D1 has no interactive transactions, so
 * `transactional` is refused. Leases follow the clock of the database. A call of the store takes two queries for
 * up to 5000 keys, and three if only some of them are free.
 *
 * It does not put the handler's writes into the transaction that records the key: if the isolate is evicted in between, the
 * event is handled again after the lease. Write effects under a unique key, with `ON CONFLICT DO NOTHING`.
 *
 * @example
 * ```ts
 * import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';
 *
 * interface Env {
 *   readonly DB: D1DatabaseLike;
 * }
 *
 * const storeOf = (env: Env) => sqlStore({ db: fromD1(env.DB) });
 * ```
 * @param database The binding, such as `env.DB`; not a session of it, which may read from a replica.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromD1(database: D1DatabaseLike): LeaseDatabase {
  if (!hasMethods<D1DatabaseLike>(database, 'prepare', 'batch', 'exec')) {
    throw optionError('database', 'the binding of a D1 database, such as env.DB, and not a session of it', database);
  }
  return {
    dialect: 'sqlite',
    async run(statement, _timeoutMs, values = []) {
      const prepared = database.prepare(statement);
      const { results } = await (values.length === 0 ? prepared : prepared.bind(...values)).all();
      return { rows: results };
    },
  };
}
