import { createRequire } from 'node:module';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import {
  type DataSourceLike,
  type DrizzleLike,
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromPostgresJs,
  fromPrisma,
  fromTypeOrm,
  type KnexLike,
  type KyselyLike,
} from '../../../src/stores/sql/index.js';
import type { OrmName } from '../modes.js';
import type { EffectRow } from './acts.js';
import { beginOnMysql2, beginOnPg } from './places.js';
import { settings, waiting } from './steps.js';
import type { Client } from './stores.js';

/** Not imported: the types of these packages are not there where only the main install was made. */
const load = createRequire(settings.orms);
const report = (error: Error) => console.error('pool:', error.message);
const { postgresUrl: url, poolSize: max } = settings;
const limits = { connectionTimeoutMillis: 1000, query_timeout: 1000 };

function openPool(): pg.Pool {
  const { Pool } = load('pg');
  const pool: pg.Pool = new Pool({ connectionString: url, max, ...limits });
  pool.on('error', report);
  // The adapter of Prisma does not listen all the time that it has a connection: one that breaks then ends the process.
  pool.on('connect', (connection) => connection.on('error', report));
  waiting.push(() => pool.waitingCount);
  return pool;
}

/** What the transactions of the clients have, each a part of it. */
interface Tx {
  execute(query: string): Promise<unknown>;
  insert(table: unknown): { values(rows: readonly EffectRow[]): Promise<unknown> };
  $queryRawUnsafe(query: string): Promise<unknown>;
  $executeRawUnsafe(query: string): Promise<number>;
  unsafe(query: string): Promise<unknown>;
  executeQuery(query: unknown): Promise<unknown>;
  raw(query: string): Promise<unknown>;
  query(query: string): Promise<unknown>;
}

function openDrizzle(): Client<Tx> {
  return settings.mode.store === 'mariadb' ? openDrizzleOnMysql() : openDrizzleOnPg();
}

function openDrizzleOnPg(): Client<Tx> {
  const { drizzle } = load('drizzle-orm/node-postgres');
  const { doublePrecision, integer, pgTable, varchar } = load('drizzle-orm/pg-core');
  const effects = pgTable('effects', {
    run: varchar(),
    event_id: varchar(),
    part: integer(),
    pid: integer(),
    sent_at: doublePrecision(),
    checked: doublePrecision(),
    claimed: doublePrecision(),
    via: varchar(),
  });
  const pool = openPool();
  return {
    db: fromDrizzle<Tx>(drizzle({ client: pool }) as DrizzleLike<Tx>),
    begin: beginOnPg(pool),
    execute: (tx, statement) => tx.execute(statement),
    insert: (tx, rows) => tx.insert(effects).values(rows),
  };
}

function openDrizzleOnMysql(): Client<Tx> {
  const { drizzle } = load('drizzle-orm/mysql2');
  const { createPool } = load('mysql2/promise');
  const pool: mysql.Pool = createPool({ uri: settings.mariadbUrl, connectionLimit: max, connectTimeout: 1000 });
  return {
    db: fromDrizzle<Tx>(drizzle({ client: pool }) as DrizzleLike<Tx>),
    begin: beginOnMysql2(pool),
    execute: (tx, statement) => tx.execute(statement),
  };
}

function openPrisma(): Client<Tx> {
  const { PrismaPg } = load('@prisma/adapter-pg');
  const { PrismaClient } = load('./generated/postgres/index.js');
  const pool = openPool();
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: report, onConnectionError: report }),
  });
  return {
    db: fromPrisma(prisma),
    begin: beginOnPg(pool),
    execute: (tx, statement) => tx.$executeRawUnsafe(statement),
  };
}

function openPostgresJs(): Client<Tx> {
  // A connection that ends while postgres.js asks for its types ends the process.
  const sql = load('postgres')(url, {
    max,
    connect_timeout: 1,
    backoff: () => 0.02,
    onnotice() {},
    fetch_types: false,
  });
  return {
    db: fromPostgresJs<Tx>(sql),
    begin: (work) => sql.begin(work),
    execute: (tx, statement) => tx.unsafe(statement),
  };
}

function openKysely(): Client<Tx> {
  const { CompiledQuery, Kysely, PostgresDialect } = load('kysely');
  const pool = openPool();
  const kysely: KyselyLike<Tx> = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return {
    db: fromKysely(kysely, fromPg(pool)),
    begin: beginOnPg(pool),
    execute: (tx, statement) => tx.executeQuery(CompiledQuery.raw(statement)),
  };
}

function openKnex(): Client<Tx> {
  const connection = { connectionString: url, ...limits };
  const log = { warn() {}, error: console.error };
  const knex: KnexLike<Tx> = load('knex')({ client: 'pg', connection, pool: { min: 0, max }, log });
  return {
    db: fromKnex(knex),
    begin: (work) => knex.transaction(work),
    execute: async (tx, statement) => await tx.raw(statement),
  };
}

async function openTypeOrm(): Promise<Client<Tx>> {
  const { DataSource } = load('typeorm');
  const extra = { max, query_timeout: limits.query_timeout };
  const source: DataSourceLike<Tx> & {
    initialize(): Promise<unknown>;
    transaction(work: () => Promise<void>): Promise<unknown>;
  } = new DataSource({ type: 'postgres', url, connectTimeoutMS: 1000, extra, poolErrorHandler: report });
  await source.initialize();
  return {
    db: fromTypeOrm(source),
    begin: (work) => source.transaction(work),
    execute: (tx, statement) => tx.query(statement),
  };
}

export const clients: Record<OrmName, () => Client<unknown> | Promise<Client<unknown>>> = {
  drizzle: openDrizzle,
  prisma: openPrisma,
  'postgres-js': openPostgresJs,
  kysely: openKysely,
  knex: openKnex,
  typeorm: openTypeOrm,
};
