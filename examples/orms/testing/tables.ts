// The store's table as a Prisma model and as a Drizzle table, for the tests of the store.
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { Pool } from 'pg';
import { webhookIdempotencyKeys } from '../drizzle/keys.js';
import { PrismaClient } from '../generated/postgres/index.js';

/** Name, type and whether it may be null, of each column. */
export const drizzleColumns = getTableConfig(webhookIdempotencyKeys).columns.map((column) => [
  column.name,
  column.getSQLType(),
  column.notNull ? 'NO' : 'YES',
]);

/** The rows, as both read them. */
export async function readBoth(url: string) {
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 5000 }),
  });
  const pool = new Pool({ connectionString: url });
  try {
    return {
      prisma: await prisma.webhookIdempotencyKey.findMany(),
      drizzle: await drizzle(pool).select().from(webhookIdempotencyKeys),
    };
  } finally {
    await prisma.$disconnect();
    await pool.end();
  }
}
