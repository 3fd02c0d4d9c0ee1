import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { Dialect, IsolationLevel, SqlDatabase } from '../database.js';
import { warnWithoutLimit } from './clients.js';
import { fromTransaction } from './transaction.js';

interface Raw {
  raw(statement: string): PromiseLike<unknown>;
}

/** The part of a Knex instance that the store uses. */
export interface KnexLike<Tx> extends Raw {
  // biome-ignore lint/suspicious/noExplicitAny: as Knex types it
  readonly client: any;
  transaction<T>(
    // biome-ignore lint/suspicious/noConfusingVoidType: as Knex types it
    scope: (tx: Tx) => Promise<T> | void,
    config?: { isolationLevel?: IsolationLevel },
  ): Promise<T>;
}

const DIALECTS: Readonly<Record<string, Exclude<Dialect, 'sqlite'>>> = { pg: 'postgres', mysql2: 'mysql' };

/**
 * Takes a Knex instance for `sqlStore`, for the drivers pg and mysql2. In a transaction `context.tx` is Knex's own
 * (`Knex.Transaction`). A handler that ends the transaction itself (`tx.commit()`) fails. Knex cannot close a connection that
 * no longer answers: it stays in the pool until the operating system gives it up.
 *
 * @example
 * ```ts
 * import { fromKnex, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import createKnex from 'knex';
 *
 * const connection = { connectionString: process.env.DATABASE_URL ?? '', connectionTimeoutMillis: 5000 };
 * const knex = createKnex({ client: 'pg', connection });
 * const store = sqlStore({ db: fromKnex(knex), transactional: true });
 * ```
 * @param knex Your instance. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for other drivers.
 */
export function fromKnex<Tx extends Raw>(knex: KnexLike<Tx>): SqlDatabase<Tx> {
  const client = Object(knex).client as Client | undefined;
  if (!hasMethods<KnexLike<Tx>>(knex, 'raw', 'transaction') || typeof client?.config !== 'object') {
    throw optionError('knex', 'an instance of Knex', knex);
  }
  const name = String(client.config.client);
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (!dialect) {
    throw new ConfigError(
      '`fromKnex` takes an instance for the drivers pg or mysql2. For SQLite, use fromDrizzle or the driver.',
    );
  }
  const { connection } = client.config;
  // If `connection` is a function, its settings are not known yet.
  if (dialect === 'postgres' && typeof connection !== 'function') {
    const hasLimit = Number(Object(connection).connectionTimeoutMillis) > 0;
    const fix = 'knex({ …, connection: { …, connectionTimeoutMillis: 5000 } })';
    warnWithoutLimit(client, hasLimit, 'connectionTimeoutMillis', fix);
  }
  return {
    ...fromTransaction<Tx>({
      dialect,
      run: (statement, tx) => (tx ?? knex).raw(statement),
      transaction: (work, { isolationLevel }) => knex.transaction(work, { ...(isolationLevel && { isolationLevel }) }),
    }),
    // Knex refuses statements once the transaction has ended.
    keepsSession: true,
  };
}

/** The options of the instance. */
interface Client {
  readonly config: { readonly client?: unknown; readonly connection?: unknown };
}
