import { ConfigError, WebhookError } from '../../errors.js';
import { inline, type Statement } from './sql.js';

/** What is used of a connection that a pg Pool gives out. */
export interface PgClientLike {
  query(text: string): Promise<unknown>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of a `Pool` of pg, and of what is made like it. `connect` twice, so that its type can be inferred. */
export interface PgPoolLike<Client> {
  query(text: string): Promise<unknown>;
  connect(): Promise<Client>;
  connect(
    callback: (error: Error | undefined, client: Client | undefined, done: (destroy?: boolean) => void) => void,
  ): void;
}

/** What runs a text in postgres.js, on a pool or in a transaction. */
export interface Unsafe {
  unsafe(text: string, values?: string[], options?: { prepare: boolean }): PromiseLike<unknown>;
}

/** What is used of the `sql` of postgres.js. `begin` twice, so that its type can be inferred. */
export interface PostgresJsLike<Tx> extends Unsafe {
  readonly options?: { readonly prepare?: unknown };
  begin<T>(work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
  begin<T>(options: string, work: (sql: Tx) => T | Promise<T>): Promise<unknown>;
}

/** What the statements here are read for: the first column of the first row, and how many rows there were. */
export interface Answer {
  readonly value: unknown;
  readonly count: number;
}

/** Runs a statement. */
export type Query = (statement: Statement) => Promise<Answer>;

/** How to run statements over a table on a pool of either kind. */
export function queryOf(pool: PgPoolLike<unknown> | PostgresJsLike<unknown>, table: string): Query {
  const query: Query = isPostgresJs(pool)
    ? queryOfPostgresJs(pool, pool.options)
    : async (statement) => readPg(await pool.query(inline(statement)));
  return (statement) => query(statement).catch(explainTo(table));
}

/** postgres.js prepares what has parameters, unless its pool is told that nothing may be prepared. */
export function queryOfPostgresJs(sql: Unsafe, options: PostgresJsLike<unknown>['options']): Query {
  const prepare = options?.prepare === true;
  return async (statement) => {
    const { text, values } = statement;
    const sent =
      prepare && values.length > 0 ? sql.unsafe(text, [...values], { prepare }) : sql.unsafe(inline(statement));
    return readPostgresJs(await sent);
  };
}

/** Throws what a statement of the store failed with, or what to do about it. */
export function explainTo(table: string): (error: unknown) => never {
  return (error) => {
    if (sqlState(error) !== '42P01') throw error;
    throw storeError(`There is no table ${table}: call migrate() of the store once before deliveries come in.`, error);
  };
}

export function isPostgresJs<Tx>(pool: PgPoolLike<Tx> | PostgresJsLike<Tx>): pool is PostgresJsLike<Tx> {
  return hasFunctions(pool, ['unsafe', 'begin']);
}

/** Throws ConfigError for what is no pool: a single connection has only one transaction, and cannot be replaced. */
export function checkPool(pool: unknown): void {
  if (hasFunctions(pool, ['unsafe', 'begin'])) return;
  // A Client of pg has these two as well, and what no Pool has.
  const isPool = hasFunctions(pool, ['query', 'connect']);
  if (isPool && !hasFunctions(pool, ['release']) && !hasFunctions(pool, ['escapeLiteral'])) return;
  throw new ConfigError(
    'postgresStore needs pool: a Pool of pg (new Pool(…), not a Client or a URL) or the sql of postgres.js.',
  );
}

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Reads a result of pg, or the last of several. By position, because names of columns may be transformed. */
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

/** The five characters that Postgres gives with an error, or what a driver says in their place. */
export function sqlState(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function storeError(message: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message, { cause });
}
