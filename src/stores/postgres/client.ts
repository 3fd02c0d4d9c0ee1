import { WebhookError } from '../../errors.js';
import { type ClientOption, hasMethods } from '../../internal/check-client.js';
import { inline, type Statement } from './sql.js';

/** The part of a connection from a pg Pool that the store uses. */
export interface PgClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of a pg `Pool` that the store uses. `connect` has two overloads, so that its type can be inferred. */
export interface PgPoolLike<Client> {
  query(text: string): Promise<unknown>;
  connect(): Promise<Client>;
  connect(
    callback: (error: Error | undefined, client: Client | undefined, done: (destroy?: boolean) => void) => void,
  ): void;
}

/** Runs a statement in postgres.js, on a pool or in a transaction. */
export interface Unsafe {
  unsafe(text: string, values?: string[], options?: { prepare: boolean }): PromiseLike<unknown>;
}

/** The part of postgres.js's `sql` that the store uses. `begin` has two overloads, so that its type can be inferred. */
export interface PostgresJsLike<Tx> extends Unsafe {
  readonly options?: { readonly prepare?: unknown };
  begin<T>(work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
  begin<T>(options: string, work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
}

/** The first column of the first row of a result, and the number of rows. */
export interface Answer {
  readonly value: unknown;
  readonly count: number;
}

/** Runs a statement. */
export type Query = (statement: Statement) => Promise<Answer>;

/** Runs statements on a pool of either driver. */
export function queryOf(pool: PgPoolLike<unknown> | PostgresJsLike<unknown>, table: string): Query {
  const query: Query = isPostgresJs(pool)
    ? queryOfPostgresJs(pool, pool.options)
    : async (statement) => readPg(await pool.query(inline(statement)));
  return (statement) => query(statement).catch(explainTo(table));
}

/** postgres.js prepares statements with parameters, unless its pool forbids that. */
export function queryOfPostgresJs(sql: Unsafe, options: PostgresJsLike<unknown>['options']): Query {
  const prepare = options?.prepare === true;
  return async (statement) => {
    const { text, values } = statement;
    const sent =
      prepare && values.length > 0 ? sql.unsafe(text, [...values], { prepare }) : sql.unsafe(inline(statement));
    return readPostgresJs(await sent);
  };
}

/** Rethrows the error of a statement, or an error with the fix. */
export function explainTo(table: string): (error: unknown) => never {
  return (error) => {
    if (sqlState(error) !== '42P01') throw error;
    throw storeError(`The table ${table} does not exist. Call migrate() of the store before deliveries arrive.`, error);
  };
}

export function isPostgresJs<Tx>(pool: PgPoolLike<Tx> | PostgresJsLike<Tx>): pool is PostgresJsLike<Tx> {
  return hasMethods<PostgresJsLike<Tx>>(pool, 'unsafe', 'begin');
}

/** The option `pool`. A Client is refused: it has one connection, so one transaction, and cannot replace it. */
export const POOL: ClientOption = {
  name: 'pool',
  takes: 'a Pool of pg (not a Client or a URL) or the sql of postgres.js',
  isClient(value) {
    if (hasMethods<PostgresJsLike<unknown>>(value, 'unsafe', 'begin')) return true;
    if (!hasMethods<PgPoolLike<unknown>>(value, 'query', 'connect')) return false;
    // A Client has these as well, but no Pool does.
    return (
      !hasMethods<Record<string, unknown>>(value, 'release') &&
      !hasMethods<Record<string, unknown>>(value, 'escapeLiteral')
    );
  },
};

/** Reads the last result of pg. By position, because column names may be transformed. */
export function readPg(result: unknown): Answer {
  const last = (Array.isArray(result) ? result.at(-1) : result) as { rows: object[]; rowCount: number | null };
  return { value: firstOf(last.rows[0]), count: Number(last.rowCount) };
}

function readPostgresJs(result: unknown): Answer {
  const { 0: row, count } = result as { 0?: object; count: number | null };
  return { value: firstOf(row), count: Number(count) };
}

function firstOf(row: object | undefined): unknown {
  return row && Object.values(row)[0];
}

/** The five-character SQLSTATE of an error, or the code of a driver. */
export function sqlState(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function storeError(message: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message, { cause });
}
