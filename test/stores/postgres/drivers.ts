import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import {
  type PgPoolLike,
  type PostgresJsLike,
  type PostgresStore,
  postgresStore,
} from '../../../src/stores/postgres/index.js';
import type { StoreSettings } from '../../contracts/store.js';
import { nothing } from '../../contracts/store-helpers.js';
import { startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';

/** Runs a statement in the transaction of a handler, with either driver. */
export type Run = (text: string) => Promise<unknown>;
export type Row = Record<string, unknown>;

export interface Opened {
  readonly pool: PgPoolLike<pg.PoolClient> | PostgresJsLike<postgres.TransactionSql>;
  /** Runs a statement on the pool, beside the store. */
  readonly run: (text: string) => Promise<readonly Row[]>;
  lease(settings?: StoreSettings & { table?: string }): PostgresStore<undefined>;
  /** A transactional store whose handlers get a function that runs statements in their transaction. */
  transactional(settings?: StoreSettings & { table?: string }): PostgresStore<Run>;
  close(): Promise<void>;
}

export interface PoolSettings {
  readonly max?: number;
  /** Settings of every session, such as `statement_timeout`. */
  readonly session?: Readonly<Record<string, string>>;
  /** Whether the driver may prepare statements, which fails with a connection pooler. pg never does so by itself. */
  readonly prepare?: boolean;
  /** Whether postgres.js queries the types on each new connection. If that fails, it causes an unhandled rejection. */
  readonly fetchTypes?: boolean;
}

/** The store with another `tx` for its handlers. */
function giving<Tx>(store: PostgresStore<Tx>, runOf: (tx: Tx) => Run): PostgresStore<Run> {
  const { onceEach: _, ...rest } = store;
  return { ...rest, once: (key, run) => store.once(key, (tx, options) => run(runOf(tx), options)) };
}

export function openPg(url: string, { max = 10, session = {} }: PoolSettings = {}): Opened {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`);
  const pool = new pg.Pool({ connectionString: url, max, options: options.join(' ') });
  pool.on('error', () => {});
  return {
    pool,
    run: async (text) => (await pool.query<Row>(text)).rows,
    lease: (settings) => postgresStore({ pool, ...settings }),
    transactional: (settings) =>
      giving(postgresStore({ pool, transactional: true, ...settings }), (tx) => (text) => tx.query(text)),
    close: () => pool.end(),
  };
}

export function openPostgresJs(url: string, settings: PoolSettings = {}): Opened {
  const { max = 10, session = {}, prepare = true, fetchTypes = true } = settings;
  const quick = { fetch_types: fetchTypes, backoff: () => 0.02, onnotice: () => {} };
  const sql = postgres(url, { max, prepare, connection: session, ...quick });
  return {
    pool: sql,
    run: (text) => sql.unsafe<Row[]>(text),
    lease: (settings) => postgresStore({ pool: sql, ...settings }),
    transactional: (settings) =>
      giving(postgresStore({ pool: sql, transactional: true, ...settings }), (tx) => async (text) => tx.unsafe(text)),
    close: () => sql.end({ timeout: 1 }),
  };
}

const DRIVERS = { pg: openPg, 'postgres.js': openPostgresJs };
export type DriverName = keyof typeof DRIVERS;
export const driverNames: readonly DriverName[] = ['pg', 'postgres.js'];

/** A pool, closed after the test. */
export function openPool(driver: DriverName, url: string, settings?: PoolSettings): Opened {
  const opened = DRIVERS[driver](url, settings);
  onTestFinished(() => opened.close());
  return opened;
}

/** A Postgres for the tests of a describe. `open` creates the store's table and `effects`, a table for handlers. */
export function withEffects(columns: string) {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 30_000);
  afterAll(() => server.stop());

  return {
    server: () => server,
    async open(driver: DriverName, settings?: PoolSettings, port = server.port): Promise<Opened> {
      const opened = openPool(driver, server.url.replace(String(server.port), String(port)), settings);
      await opened.lease().migrate();
      await opened.run(`DO $$ BEGIN PERFORM pg_advisory_xact_lock(1);
        CREATE TABLE IF NOT EXISTS effects (${columns}); END $$`);
      return opened;
    },
  };
}

/** A handler that writes the effect of an event. */
export const write = (id: string) => (run: Run) => run(`INSERT INTO effects VALUES ('${id}')`).then(nothing);

/** How often an effect was written. */
export const countOf = async ({ run }: Opened, id: string) =>
  (await run(`SELECT FROM effects WHERE id = '${id}'`)).length;

export const written = async (opened: Opened, id: string) => (await countOf(opened, id)) === 1;
