import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { storeError } from '../../bounded-calls.js';
import type { SqlDatabase } from '../database.js';

interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Executor {
  withConnectionProvider(provider: {
    provideConnection<T>(consumer: (connection: never) => Promise<T>): Promise<T>;
  }): unknown;
}

/** The part of a Kysely instance that the store uses. */
export interface KyselyLike<Tx> {
  getExecutor(): Executor;
  transaction(): { execute(work: (tx: Tx) => Promise<void>): Promise<void> };
}

/** The transaction of a client. */
type Client =
  | { query(text: string, values: unknown[]): Promise<unknown> }
  | { unsafe(text: string, values: never[]): PromiseLike<unknown> };

/**
 * Takes Kysely for `sqlStore`, with the client of its dialect. In a transaction `context.tx` is Kysely's own
 * (`Transaction<DB>`), with its plugins, on a connection that the store gets and closes as the client's function does:
 * Kysely cannot close one that no longer answers.
 *
 * It does not support streams, the option `log` and transactions within the transaction: use savepoints.
 *
 * @example
 * ```ts
 * import { fromKysely, fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { Kysely, PostgresDialect } from 'kysely';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
 * const kysely = new Kysely<{ transfers: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
 * const store = sqlStore({ db: fromKysely(kysely, fromPg(pool)), transactional: true });
 * ```
 * @param kysely Your instance. The store neither opens nor closes it.
 * @param client `fromPg(pool)` or `fromPostgresJs(sql)`, or for MySQL `fromMysql2(pool)`, with `pool.promise()`.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for SQLite.
 */
export function fromKysely<Tx>(kysely: KyselyLike<Tx>, client: SqlDatabase<Client>): SqlDatabase<Tx> {
  if (!hasMethods<KyselyLike<Tx>>(kysely, 'getExecutor', 'transaction')) {
    throw optionError('kysely', 'an instance of Kysely', kysely);
  }
  if (!hasMethods<SqlDatabase<Client>>(client, 'run', 'transaction')) {
    throw optionError('client', 'the pool of the same dialect, such as fromPg(pool)', client);
  }
  if (client.dialect === 'sqlite') {
    throw new ConfigError(
      '`fromKysely` takes clients of Postgres and MySQL. For SQLite, use fromDrizzle or the driver.',
    );
  }
  const Kysely = kysely.constructor as new (props: object) => KyselyLike<Tx>;
  return {
    dialect: client.dialect,
    run: client.run,
    transaction: (work, options) =>
      client.transaction(async ({ tx, ...transaction }) => {
        const connection = { executeQuery: (query: CompiledQuery) => execute(tx, query), streamQuery: refuse };
        const executor = kysely
          .getExecutor()
          .withConnectionProvider({ provideConnection: (consumer) => consumer(connection as never) });
        const bound = new Kysely({ config: {}, dialect: {}, driver: driverOfOne(), executor });
        await bound.transaction().execute((trx) => work({ ...transaction, tx: trx }));
      }, options),
  };
}

/** The client begins and ends the transaction, so this does nothing. Kysely would send another BEGIN within it. */
function driverOfOne() {
  let isBegun = false;
  return {
    async beginTransaction() {
      if (isBegun) throw storeError('Kysely cannot nest transactions. In the handler, use savepoints.');
      isBegun = true;
    },
    async commitTransaction() {},
    async rollbackTransaction() {},
  };
}

/** What pg, mysql2, PGlite and postgres.js say of a statement. */
interface Result {
  readonly rows?: readonly object[];
  readonly rowCount?: number | null;
  readonly affectedRows?: number;
  readonly count?: number | null;
  readonly insertId?: number;
  readonly changedRows?: number;
}

/** Results as Kysely's own dialects give them. */
async function execute(client: Client, { sql, parameters }: CompiledQuery) {
  const values = [...parameters] as never[];
  const answer = await ('query' in client ? client.query(sql, values) : client.unsafe(sql, values));
  // mysql2 gives rows or a header, and the columns; postgres.js gives rows with a count.
  const isPair = Array.isArray(answer) && !('count' in answer);
  const result = (isPair ? answer[0] : answer) as Result & readonly object[];
  return {
    rows: Array.isArray(result) ? [...result] : [...(result.rows ?? [])],
    numAffectedRows: bigint(result.rowCount ?? result.affectedRows ?? result.count),
    numChangedRows: bigint(result.changedRows),
    insertId: bigint(result.insertId || undefined),
  };
}

function bigint(value: number | null | undefined): bigint | undefined {
  return value === null || value === undefined ? undefined : BigInt(value);
}

// biome-ignore lint/correctness/useYield: it only throws
async function* refuse(): AsyncGenerator<never> {
  throw new Error('Kysely cannot stream in the transaction of a webhook store. Use execute().');
}
