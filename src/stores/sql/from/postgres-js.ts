import { ConfigError } from '../../../errors.js';
import { hasMethods } from '../../../internal/check-client.js';
import { optionError } from '../../../internal/check-options.js';
import { storeError } from '../../bounded-calls.js';
import { type Answer, type SqlDatabase, valuesOf } from '../database.js';
import { ABORTED } from '../postgres.js';
import { type GuardedTransaction, openTransaction } from './postgres-js-guard.js';
import { SESSION } from './postgres-session.js';
import { warnWithoutLimit } from './warning.js';

/** The part of postgres.js's `sql` that the store uses. `begin` has two overloads, so that its type can be inferred. */
export interface PostgresJsLike<Tx> {
  readonly options: object;
  unsafe(text: string): PromiseLike<unknown>;
  begin<T>(work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
  begin<T>(options: string, work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
}

/**
 * Takes the `sql` of postgres.js for `sqlStore`. In a transaction `context.tx` is its `TransactionSql`, which works until
 * the handler settles and has no `prepare`, `file` and COPY. A connection whose session a handler has changed (`SET`
 * without `LOCAL`, temporary tables, `PREPARE`, `LISTEN`) is closed. Locks of the session are released.
 * Postgres does not show custom settings: set them with `SET LOCAL app.tenant = …`.
 *
 * @example
 * ```ts
 * import { fromPostgresJs, sqlStore } from 'event-webhook-receiver/stores/sql';
 * import { postgresJsSocket } from 'event-webhook-receiver/stores/sql/postgres-js-socket';
 * import postgres from 'postgres';
 *
 * const sql = postgres(process.env.DATABASE_URL ?? '', { fetch_types: false, ...postgresJsSocket({ timeoutMs: 10_000 }) });
 * const store = sqlStore({ db: fromPostgresJs(sql), transactional: true });
 * ```
 * @param sql Your `sql`, with the option `socket`. Set `fetch_types: false` as well unless your queries use arrays: a connection
 * that ends while postgres.js asks for its types ends the process. The store neither opens nor closes it.
 * @returns The database, for the option `db` of `sqlStore`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for anything else. An `sql` without `socket` is warned of: postgres.js
 * waits forever on a connection that no longer answers.
 */
export function fromPostgresJs<Tx extends object>(sql: PostgresJsLike<Tx>): SqlDatabase<Tx> {
  checkSql(sql);
  /** What the session of each connection was like before the first handler. */
  const sessions = new WeakMap<object, string>();
  const session = async ({ query }: GuardedTransaction<Tx>) =>
    valuesOf(read(await query(SESSION)).rows[0] as object)[0] as string;

  /** Gives the connection back if its session is what it was. */
  async function tidy(opened: GuardedTransaction<Tx>): Promise<void> {
    const after = await session(opened).catch(() => undefined);
    if (after !== undefined && after === sessions.get(opened.connection)) return opened.release();
    sessions.delete(opened.connection);
    opened.destroy();
  }

  return {
    dialect: 'postgres',
    run: async (statement) => read(await sql.unsafe(statement)),
    async transaction(work, { isolationLevel }) {
      const opened = await openTransaction(sql, isolationLevel ? `isolation level ${isolationLevel}` : '');
      const { tx, query, close, connection, lost } = opened;
      let isCommitting = false;
      let isCommitted = false;
      const commit = async (text: string) => {
        // postgres.js gives one result for `text`, with the command that ran last, because COMMIT has no columns.
        isCommitted = Reflect.get((await query(text)) as object, 'command') === 'COMMIT';
        // Postgres answers COMMIT with ROLLBACK if a statement failed after the check.
        if (!isCommitted) throw storeError(ABORTED);
      };
      try {
        if (!sessions.has(connection)) sessions.set(connection, await session(opened));
        await Promise.race([work({ tx, run: async (statement) => read(await query(statement)), close, commit }), lost]);
        isCommitting = true;
        if (!isCommitted) await commit('COMMIT');
      } catch (error) {
        if (!isCommitting) await query('ROLLBACK').catch(ignore);
        throw error;
      } finally {
        // Not awaited: the transaction has ended.
        void tidy(opened);
      }
    },
  };
}

function read(result: unknown): Answer {
  const { count } = result as { count: number | null };
  return { rows: [...(result as Iterable<object>)], changed: count ?? undefined };
}

/** Others' functions with `unsafe`, by a method that postgres.js does not have. */
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
  const hasLimit = typeof Reflect.get(sql.options ?? {}, 'socket') === 'function';
  warnWithoutLimit(sql, hasLimit, 'socket', 'postgres(url, { …, ...postgresJsSocket({ timeoutMs: 10_000 }) })');
}

function ignore(): void {}
