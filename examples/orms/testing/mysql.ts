import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import knexOf from 'knex';
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely';
import mysql from 'mysql2';
import { DataSource } from 'typeorm';
import { fromDrizzle } from '../../../src/stores/sql/from/drizzle.js';
import { fromKnex } from '../../../src/stores/sql/from/knex.js';
import { fromKysely } from '../../../src/stores/sql/from/kysely.js';
import { fromPrisma } from '../../../src/stores/sql/from/prisma.js';
import { fromTypeOrm } from '../../../src/stores/sql/from/typeorm.js';
import { PrismaClient } from '../generated/mysql/index.js';

export const orms = {
  prisma(url: string, max: number) {
    const prisma = new PrismaClient({
      adapter: new PrismaMariaDb(url.replace('mysql:', 'mariadb:') + '?connectionLimit=' + max),
    });
    return {
      db: fromPrisma(prisma),
      runner: (tx: any) => (text: string) => tx.$executeRawUnsafe(text),
      close: () => prisma.$disconnect(),
    };
  },
  knex(url: string, max: number) {
    const knex = knexOf({ client: 'mysql2', connection: url, pool: { min: 0, max } });
    return { db: fromKnex(knex), runner: (tx: any) => (text: string) => tx.raw(text), close: () => knex.destroy() };
  },
  typeorm(url: string, max: number) {
    const source = new DataSource({ type: 'mariadb', url, extra: { connectionLimit: max } });
    return {
      init: () => source.initialize(),
      db: fromTypeOrm(source),
      runner: (tx: any) => (text: string) => tx.query(text),
      close: () => source.destroy(),
    };
  },
};
