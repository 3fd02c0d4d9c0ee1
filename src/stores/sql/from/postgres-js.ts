import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import type { SqlDatabase } from '../database.js';
import { fromTransaction } from './transaction.js';

/** The part of postgres.js's `sql` that the store uses. `begin` has two overloads, so that its type can be inferred. */
export interface PostgresJsLike<Tx> {
  unsafe(text: string): PromiseLike<unknown>;
  begin<T>(work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
  begin<T>(options: string, work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
}

/**
 * Takes the `sql` of postgres.js for `sqlStore`. In a transaction `context.tx` is its `TransactionSql`, which refuses
 * queries once the handler's time is over. Settings made with `SET`, not `SET LOCAL`, stay in the session.
 *
 * postgres.js cannot close a connection that no longer answers, which fails when the operating system gives it up.
 *
 * @example
 * ```ts
 * import { fromPostgresJs, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import postgres from 'postgres';
 *
 * const sql = postgres(process.env.DATABASE_URL ?? '');
 * const store = sqlStore({ db: fromPostgresJs(sql), transactional: true });
 * ```
 * @param sql Your `sql`. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else.
 */
export function fromPostgresJs<Tx extends object>(sql: PostgresJsLike<Tx>): SqlDatabase<Tx> {
  checkSql(sql);
  return {
    ...fromTransaction<Tx>({
      dialect: 'postgres',
      run: (statement, tx) => ((tx ?? sql) as PostgresJsLike<Tx>).unsafe(statement),
      transaction: (work, { isolationLevel }) =>
        sql.begin(isolationLevel ? `isolation level ${isolationLevel}` : '', work),
    }),
    keepsSession: true,
  };
}

/** Other libraries whose functions have `unsafe`, with a method that postgres.js lacks. */
const LOOK_ALIKES = [
  ['beginDistributed', 'Bun.SQL', 'pass postgres(url) of postgres.js, which runs in Bun'],
  ['transaction', 'neon()', 'it has no transactions over HTTP: pass its Pool to fromPg, or in Drizzle neon-serverless'],
] as const;

function checkSql(sql: unknown): void {
  for (const [method, name, fix] of LOOK_ALIKES) {
    if (!hasMethods<Record<string, unknown>>(sql, 'unsafe', method)) continue;
    throw new ConfigError(`\`fromPostgresJs\` takes the sql of postgres.js, got ${name}; ${fix}.`);
  }
  if (!hasMethods<PostgresJsLike<object>>(sql, 'unsafe', 'begin')) {
    throw optionError('sql', 'the sql of postgres.js, not that of a transaction or a URL', sql);
  }
}
