import { type LeaseOptions, type LeaseTable, leasedStore, resolveLeaseOptions } from '../lease.js';
import type { IdempotencyStore } from '../store.js';
import {
  checkPool,
  isPostgresJs,
  type PgClientLike,
  type PgPoolLike,
  type PostgresJsLike,
  type Query,
  queryOf,
  sqlState,
} from './client.js';
import { postgresJsSessions } from './js.js';
import { pgSessions } from './pg.js';
import { type Statements, statementsFor, tokenOf } from './sql.js';
import { transactionalStore } from './transaction.js';

export type { PgClientLike, PgPoolLike, PostgresJsLike } from './client.js';

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions<Pool> extends LeaseOptions {
  /** A `Pool` of pg or the `sql` of postgres.js. It stays yours: the store neither opens nor closes it. */
  readonly pool: Pool;
  /** The table, or `schema.table`. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
}

/** What {@link postgresStore} gives. */
export interface PostgresStore<Tx> extends IdempotencyStore<Tx> {
  /** Makes the table if it is not there. Any number of replicas may call it at the same time, and at every start. */
  migrate(): Promise<void>;
  /** Deletes the keys whose retention is over and says how many. Call it periodically, on one replica or all. */
  sweep(): Promise<number>;
}

const SWEEP_ROWS = 10_000;
const CLAIM_TRIES = 5;

/**
 * A store in Postgres: exactly once over any number of replicas. With `transactional`, the handler runs in the
 * transaction that records the key and gets its connection as `context.tx`: what it writes there and the key are kept
 * together or not at all, whatever crashes when. Every run then keeps a connection for as long as it takes, so give the
 * pool as many as there are to be runs at once. When a handler's time is up, its transaction is rolled back and refuses
 * further statements, and the key is free. Without `transactional`, the key is held by a lease, and a process that dies between a
 * handler's effect and its record leaves an event that is handled again. It does not make the table: `migrate` does.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 * import { postgresStore } from 'event-webhook-receiver/stores/postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * pool.on('error', (error) => console.error(error.message));
 * const store = postgresStore({ pool, transactional: true });
 * await store.migrate();
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   toleranceSeconds: 300,
 *   store,
 *   onEvent: (event, { tx }) => tx.query('INSERT INTO seen (id) VALUES ($1)', [event.id]),
 * });
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when `pool` is no pool, `table` no plain identifier, or a number out of range.
 */
export function postgresStore<Tx extends PgClientLike>(
  options: PostgresStoreOptions<PgPoolLike<Tx>> & { readonly transactional: true },
): PostgresStore<Tx>;
export function postgresStore<Tx extends object>(
  options: PostgresStoreOptions<PostgresJsLike<Tx>> & { readonly transactional: true },
): PostgresStore<Tx>;
export function postgresStore(
  options: PostgresStoreOptions<PgPoolLike<unknown> | PostgresJsLike<unknown>> & {
    readonly transactional?: false | undefined;
  },
): PostgresStore<undefined>;
export function postgresStore<Tx extends PgClientLike>({
  pool,
  table = 'webhook_idempotency_keys',
  transactional = false,
  ...options
}: PostgresStoreOptions<PgPoolLike<Tx> | PostgresJsLike<Tx>> & { readonly transactional?: boolean | undefined }):
  | PostgresStore<Tx>
  | PostgresStore<undefined> {
  const lease = resolveLeaseOptions(options);
  const statements = statementsFor(table, lease);
  checkPool(pool);
  const query = queryOf(pool, table);

  const maintenance = {
    async migrate() {
      const { value } = await query(statements.migrated);
      if (value === undefined) await query(statements.migrate);
    },
    async sweep() {
      let total = 0;
      for (;;) {
        const { count } = await query(statements.sweep(SWEEP_ROWS));
        total += count;
        if (count < SWEEP_ROWS) return total;
      }
    },
  };
  if (!transactional) return { ...leasedStore(leaseTable(query, statements), lease), ...maintenance };
  const open = isPostgresJs(pool) ? postgresJsSessions(pool) : pgSessions(pool);
  return { ...transactionalStore(open, query, statements, lease), ...maintenance };
}

function leaseTable(query: Query, statements: Statements): LeaseTable {
  return {
    async claim(key, owner) {
      // The key may be given back between the two statements.
      for (let tries = 0; tries < CLAIM_TRIES; tries++) {
        const { value } = await query(statements.claim(key, owner)).catch(unlessConflict);
        if (value !== undefined) return tokenOf(value);
        const status = (await query(statements.status(key))).value;
        if (status === 'duplicate' || status === 'in-progress') return status;
      }
      return 'in-progress';
    },
    complete: async (key, owner) => (await query(statements.complete(key, owner))).count > 0,
    release: (key, owner) => query(statements.release(key, owner)),
  };
}

/** In the stricter isolation levels: another has just taken the key. */
function unlessConflict(error: unknown): { value?: unknown } {
  if (sqlState(error) === '40001') return {};
  throw error;
}
