import { createRequire } from 'node:module';
import { type DrizzleLike, fromDrizzle, fromPrisma } from '../../../src/stores/sql/index.js';
import type { OrmName } from '../modes.js';
import type { EffectRow } from './handler.js';
import { settings, waiting } from './steps.js';
import type { Client } from './stores.js';

/** Not imported: the types of these packages are not there where only the main install was made. */
const load = createRequire(settings.orms);
const report = (error: Error) => console.error('pool:', error.message);
const options = { connectionString: settings.postgresUrl, max: 10, connectionTimeoutMillis: 1000, query_timeout: 1000 };

function openPool() {
  const { Pool } = load('pg');
  const pool = new Pool(options);
  pool.on('error', report);
  // The adapter of Prisma does not listen all the time that it has a connection: one that breaks then ends the process.
  pool.on('connect', (connection: { on(event: 'error', listener: typeof report): void }) =>
    connection.on('error', report),
  );
  waiting.push(() => pool.waitingCount);
  return pool;
}

interface DrizzleTx {
  execute(query: string): Promise<unknown>;
  insert(table: unknown): { values(rows: readonly EffectRow[]): Promise<unknown> };
}

function openDrizzle(): Client<DrizzleTx> {
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
  return {
    db: fromDrizzle<DrizzleTx>(drizzle({ client: openPool() }) as DrizzleLike<DrizzleTx>),
    execute: (tx, statement) => tx.execute(statement),
    insert: (tx, rows) => tx.insert(effects).values(rows),
  };
}

interface PrismaTx {
  $queryRawUnsafe(query: string): Promise<unknown>;
  $executeRawUnsafe(query: string): Promise<number>;
}

function openPrisma(): Client<PrismaTx> {
  const { PrismaPg } = load('@prisma/adapter-pg');
  const { PrismaClient } = load('./generated/postgres/index.js');
  const prisma = new PrismaClient({
    adapter: new PrismaPg(openPool(), { onPoolError: report, onConnectionError: report }),
  });
  return { db: fromPrisma(prisma), execute: (tx, statement) => tx.$executeRawUnsafe(statement) };
}

export const clients: Record<OrmName, () => Client<unknown>> = { drizzle: openDrizzle, prisma: openPrisma };
