import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { IsolationLevel, SqlDatabase } from '../database.js';
import { fromTransaction } from './transaction.js';

/** A statement in the form that Kysely's `CompiledQuery.raw` returns. */
interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: object;
  readonly queryId: object;
}

interface Queries {
  executeQuery(query: never): Promise<unknown>;
}

interface Builder<Tx> {
  setIsolationLevel(level: IsolationLevel): Builder<Tx>;
  execute<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The part of a Kysely instance that the store uses. */
export interface KyselyLike<Tx> {
  transaction(): Builder<Tx>;
}

/**
 * Takes Kysely for `sqlStore`, with the client of its dialect, which the store uses outside transactions. In a
 * transaction `context.tx` is Kysely's own (`Transaction<DB>`). Kysely cannot close a connection that no longer
 * answers: it stays in the pool until the operating system gives it up.
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
 * @param client `fromPg(pool)`, or for MySQL `fromMysql2(pool)`, with `pool.promise()`.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else, and for SQLite and postgres.js.
 */
export function fromKysely<Tx extends Queries>(
  kysely: KyselyLike<Tx>,
  client: Pick<SqlDatabase, 'dialect' | 'run' | 'keepsSession'>,
): SqlDatabase<Tx> {
  if (!hasMethods<KyselyLike<Tx> & Record<'selectFrom', unknown>>(kysely, 'transaction', 'selectFrom')) {
    throw optionError('kysely', 'an instance of Kysely', kysely);
  }
  if (!hasMethods<SqlDatabase<never>>(client, 'run', 'transaction')) {
    throw optionError('client', 'the pool of the same dialect, such as fromPg(pool)', client);
  }
  const { dialect, run, keepsSession } = client;
  if (dialect === 'sqlite') {
    throw new ConfigError(
      '`fromKysely` takes clients of Postgres and MySQL. For SQLite, use fromDrizzle or the driver.',
    );
  }
  if (keepsSession) throw new ConfigError(POSTGRES_JS);
  return {
    ...fromTransaction<Tx>({
      dialect,
      run: (statement, tx) => (tx as Tx).executeQuery(raw(statement) as never),
      transaction(work, { isolationLevel }) {
        const builder = kysely.transaction();
        return (isolationLevel ? builder.setIsolationLevel(isolationLevel) : builder).execute(work);
      },
    }),
    run,
  };
}

function raw(sql: string): CompiledQuery {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
  return { sql, query, parameters: [], queryId: { queryId: crypto.randomUUID() } };
}

const POSTGRES_JS =
  '`fromKysely` takes fromPg(pool) and fromMysql2(pool). Kysely does not notice that a connection of postgres.js was lost: pass the sql itself to fromPostgresJs.';
