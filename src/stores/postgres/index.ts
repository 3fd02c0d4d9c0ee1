import { checkClientOptions } from '../../internal/check-client.js';
import { optionError } from '../../internal/check-options.js';
import {
  LEASE_OPTIONS,
  type LeaseOptions,
  type Leases,
  leasedStore,
  oneByOne,
  resolveLeaseOptions,
} from '../leased-store.js';
import type { IdempotencyStore } from '../store.js';
import {
  isPostgresJs,
  type PgClientLike,
  type PgPoolLike,
  POOL,
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
  /** Your `Pool` of pg or `sql` of postgres.js. The store neither opens nor closes it. */
  readonly pool: Pool;
  /** The table, or `schema.table`. (Default: `webhook_idempotency_keys`.) */
  readonly table?: string | undefined;
}

/** The store that {@link postgresStore} creates. */
export interface PostgresStore<Tx> extends IdempotencyStore<Tx> {
  /** Creates the table if it does not exist. Replicas may call it at the same time, and at every start. */
  migrate(): Promise<void>;
  /** Deletes expired keys and resolves to their number. Call it periodically, on one replica or all. */
  sweep(): Promise<number>;
}

const SWEEP_ROWS = 10_000;
const CLAIM_TRIES = 5;

/**
 * Creates a store in Postgres, shared by all replicas. With `transactional`, the handler runs in the transaction that
 * records the key and gets its connection as `context.tx`: its writes and the key commit together or not at all. Every run
 * then uses one connection until it settles, so size the pool accordingly. When a handler times out, its transaction is
 * rolled back and refuses further statements, and the key is free.
 *
 * Without `transactional` it does not put the handler's writes into its own transaction: the key has a lease, and if the
 * process dies between the effect and its record, the event is handled again. It does not create the table: call `migrate`.
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
 *   store,
 *   onEvent: (event, { tx }) => tx.query('INSERT INTO seen (id) VALUES ($1)', [event.id]),
 * });
 * ```
 * @param options The pool and the table; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
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
export function postgresStore<Tx extends PgClientLike>(
  options: PostgresStoreOptions<PgPoolLike<Tx> | PostgresJsLike<Tx>> & { readonly transactional?: boolean | undefined },
): PostgresStore<Tx> | PostgresStore<undefined> {
  checkClientOptions('postgresStore', options, POOL, ['pool', 'table', 'transactional', ...LEASE_OPTIONS]);
  const { pool, table = 'webhook_idempotency_keys', transactional = false } = options;
  if (typeof transactional !== 'boolean') throw optionError('transactional', 'a boolean', transactional);
  const lease = resolveLeaseOptions(options);
  const statements = statementsFor(table, lease);
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
  if (!transactional) return { ...leasedStore(oneByOne(leaseTable(query, statements)), lease), ...maintenance };
  const open = isPostgresJs(pool) ? postgresJsSessions(pool) : pgSessions(pool);
  return { ...transactionalStore(open, query, statements, lease), ...maintenance };
}

function leaseTable(query: Query, statements: Statements): Leases {
  return {
    async claim(key, owner) {
      // The key may be released between the two statements.
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

/** Ignores a serialization failure: under a stricter isolation level, another run has just claimed the key. */
function unlessConflict(error: unknown): { value?: unknown } {
  if (sqlState(error) === '40001') return {};
  throw error;
}
