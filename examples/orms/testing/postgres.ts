// Each ORM over Postgres, for the tests of the store.
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { sql } from 'drizzle-orm';
import knexOf from 'knex';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { fromDrizzle } from '../../../src/stores/sql/from/drizzle.js';
import { fromKnex } from '../../../src/stores/sql/from/knex.js';
import { fromKysely } from '../../../src/stores/sql/from/kysely.js';
import { fromPg } from '../../../src/stores/sql/from/pg.js';
import { fromPrisma } from '../../../src/stores/sql/from/prisma.js';
import { fromTypeOrm } from '../../../src/stores/sql/from/typeorm.js';
import { PrismaClient } from '../generated/postgres/index.js';

const poolOf = (url: string, max: number) => {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => {});
  return pool;
};

export const orms = {
  drizzle(url: string, max: number) {
    const pool = poolOf(url, max);
    const db = drizzle(pool);
    return { db: fromDrizzle(db), runner: (tx: any) => (text: string) => tx.execute(sql.raw(text)), close: () => pool.end() };
  },
  prisma(url: string, max: number) {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max }) });
    return { db: fromPrisma(prisma), runner: (tx: any) => (text: string) => tx.$executeRawUnsafe(text), close: () => prisma.$disconnect() };
  },
  kysely(url: string, max: number) {
    const pool = poolOf(url, max);
    const kysely = new Kysely<any>({ dialect: new PostgresDialect({ pool }) });
    return { db: fromKysely(kysely, fromPg(pool)), runner: (tx: any) => (text: string) => tx.executeQuery(CompiledQuery.raw(text)), close: () => pool.end() };
  },
  knex(url: string, max: number) {
    const knex = knexOf({ client: 'pg', connection: url, pool: { min: 0, max } });
    return { db: fromKnex(knex), runner: (tx: any) => (text: string) => tx.raw(text), close: () => knex.destroy() };
  },
  typeorm(url: string, max: number) {
    const source = new DataSource({ type: 'postgres', url, extra: { max } });
    return { init: () => source.initialize(), db: fromTypeOrm(source), runner: (tx: any) => (text: string) => tx.query(text), close: () => source.destroy() };
  },
};
