// Each client of the SQL stores as its own documentation creates it, and what a handler does with its transaction.
import { PGlite } from '@electric-sql/pglite';
import { createClient } from '@libsql/client';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql';
import { mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePGlite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import createKnex from 'knex';
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import Database from 'libsql';
import { createPool as createCallbackPool } from 'mysql2';
import mysql from 'mysql2/promise';
import { Pool } from 'pg';
import postgres from 'postgres';
import { Sequelize, type Transaction } from 'sequelize';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import {
  fromBetterSqlite3,
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromLibsql,
  fromMysql2,
  fromPGlite,
  fromPg,
  fromPostgresJs,
  fromPrisma,
  fromTransaction,
  fromTypeOrm,
} from '../../../src/stores/sql/index.js';
import type { QuickStart } from '../../../test/stores/quick-starts.js';
import { PrismaClient as MysqlPrismaClient } from '../generated/mysql/index.js';
import { PrismaClient } from '../generated/postgres/index.js';

const INSERT = 'INSERT INTO transfers (event_id, name) VALUES';

const pgTransfers = pgTable('transfers', { eventId: text('event_id').notNull(), name: text().notNull() });
const mysqlTransfers = mysqlTable('transfers', {
  eventId: mysqlText('event_id').notNull(),
  name: mysqlText().notNull(),
});
const sqliteTransfers = sqliteTable('transfers', {
  eventId: sqliteText('event_id').notNull(),
  name: sqliteText().notNull(),
});

interface Tables {
  transfers: { event_id: string; name: string };
}

@Entity('typeorm_transfers')
class Transfer {
  @PrimaryGeneratedColumn()
  id!: number;
  @Column('text', { name: 'event_id' })
  eventId!: string;
  @Column('text')
  name!: string;
}

/** What an URL says, for clients that take it in parts. */
function partsOf(url: string) {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  return { host, port: Number(port), user, password, database: pathname.slice(1) };
}

export const quickStarts: Readonly<Record<string, QuickStart>> = {
  'pg over Postgres'(connectionString) {
    const pool = new Pool({ connectionString });
    return {
      db: fromPg(pool),
      write: (tx, { id, event }) => tx.query(`${INSERT} ($1, $2)`, [id, event]),
      close: () => pool.end(),
    };
  },
  'postgres.js over Postgres'(url) {
    const sql = postgres(url);
    return {
      db: fromPostgresJs(sql),
      write: (tx, { id, event }) => tx`INSERT INTO transfers (event_id, name) VALUES (${id}, ${event})`,
      close: () => sql.end(),
    };
  },
  'PGlite in the process'() {
    const db = new PGlite();
    return {
      db: fromPGlite(db),
      write: (tx, { id, event }) => tx.query(`${INSERT} ($1, $2)`, [id, event]),
      close: () => db.close(),
    };
  },
  'mysql2 over MariaDB'(url) {
    const pool = mysql.createPool(url);
    return {
      db: fromMysql2(pool),
      write: (tx, { id, event }) => tx.query(`${INSERT} (?, ?)`, [id, event]),
      close: () => pool.end(),
    };
  },
  'libsql in a file'(file) {
    const db = new Database(file);
    return {
      db: fromBetterSqlite3(db),
      write: (tx, { id, event }) => void tx.prepare(`${INSERT} (?, ?)`).run(id, event),
      close: () => db.close(),
    };
  },
  '@libsql/client in a file'(file) {
    const client = createClient({ url: `file:${file}` });
    return {
      db: fromLibsql(client),
      write: (tx, { id, event }) => tx.execute({ sql: `${INSERT} (?, ?)`, args: [id, event] }),
      close: () => client.close(),
    };
  },
  'Drizzle on pg over Postgres'(url) {
    const db = drizzle(url);
    return {
      db: fromDrizzle(db),
      write: (tx, { id, event }) => tx.insert(pgTransfers).values({ eventId: id, name: event }),
      close: () => db.$client.end(),
    };
  },
  'Drizzle on postgres.js over Postgres'(url) {
    const db = drizzlePostgresJs(url);
    return {
      db: fromDrizzle(db),
      write: (tx, { id, event }) => tx.insert(pgTransfers).values({ eventId: id, name: event }),
      close: () => db.$client.end(),
    };
  },
  'Drizzle on PGlite in the process'() {
    const db = drizzlePGlite();
    return {
      db: fromDrizzle(db),
      write: (tx, { id, event }) => tx.insert(pgTransfers).values({ eventId: id, name: event }),
      close: () => db.$client.close(),
    };
  },
  'Drizzle on mysql2 over MariaDB'(url) {
    const db = drizzleMysql(url);
    return {
      db: fromDrizzle(db),
      write: (tx, { id, event }) => tx.insert(mysqlTransfers).values({ eventId: id, name: event }),
      close: () => Reflect.get(db, '$client').end(),
    };
  },
  'Drizzle on better-sqlite3 in a file'(file) {
    // libsql has the interface of better-sqlite3, which is compiled where it is installed.
    const client = new Database(file);
    const db = drizzleSqlite(client as never);
    return {
      db: fromDrizzle(db),
      write: (tx, { id, event }) => void tx.insert(sqliteTransfers).values({ eventId: id, name: event }).run(),
      close: () => client.close(),
    };
  },
  'Drizzle on @libsql/client in a file'(file) {
    const db = drizzleLibsql(`file:${file}`);
    return { db: fromDrizzle(db), close: () => db.$client.close() };
  },
  'Prisma on pg over Postgres'(connectionString) {
    const adapter = new PrismaPg({ connectionString });
    const prisma = new PrismaClient({ adapter });
    return {
      db: fromPrisma(prisma),
      write: (tx, { id, event }) => tx.transfer.create({ data: { eventId: id, name: event } }),
      close: () => prisma.$disconnect(),
    };
  },
  'Prisma on mariadb over MariaDB'(url) {
    const adapter = new PrismaMariaDb({ ...partsOf(url), connectionLimit: 5 });
    const prisma = new MysqlPrismaClient({ adapter });
    return {
      db: fromPrisma(prisma),
      write: (tx, { id, event }) => tx.transfer.create({ data: { eventId: id, name: event } }),
      close: () => prisma.$disconnect(),
    };
  },
  'Kysely on pg over Postgres'(url) {
    const pool = new Pool({ ...partsOf(url), max: 10 });
    const dialect = new PostgresDialect({ pool });
    const db = new Kysely<Tables>({ dialect });
    return {
      db: fromKysely(db, fromPg(pool)),
      write: (tx, { id, event }) => tx.insertInto('transfers').values({ event_id: id, name: event }).execute(),
      close: () => db.destroy(),
    };
  },
  'Kysely on mysql2 over MariaDB'(url) {
    const pool = createCallbackPool({ ...partsOf(url), connectionLimit: 10 });
    const dialect = new MysqlDialect({ pool });
    const db = new Kysely<Tables>({ dialect });
    return {
      db: fromKysely(db, fromMysql2(pool)),
      write: (tx, { id, event }) => tx.insertInto('transfers').values({ event_id: id, name: event }).execute(),
      close: () => db.destroy(),
    };
  },
  'Knex on pg over Postgres'(url) {
    const knex = createKnex({ client: 'pg', connection: partsOf(url) });
    return {
      db: fromKnex(knex),
      write: (tx, { id, event }) => tx('transfers').insert({ event_id: id, name: event }),
      close: () => knex.destroy(),
    };
  },
  'Knex on mysql2 over MariaDB'(url) {
    const knex = createKnex({ client: 'mysql2', connection: partsOf(url) });
    return {
      db: fromKnex(knex),
      write: (tx, { id, event }) => tx('transfers').insert({ event_id: id, name: event }),
      close: () => knex.destroy(),
    };
  },
  async 'TypeORM on pg over Postgres'(url) {
    const source = new DataSource({ type: 'postgres', url, synchronize: true, entities: [Transfer] });
    await source.initialize();
    return {
      db: fromTypeOrm(source),
      write: (tx, { id, event }) => tx.save(Transfer, { eventId: id, name: event }),
      table: 'typeorm_transfers',
      close: () => source.destroy(),
    };
  },
  async 'TypeORM on mysql2 over MariaDB'(url) {
    const source = new DataSource({ type: 'mariadb', url, synchronize: true, entities: [Transfer] });
    await source.initialize();
    return {
      db: fromTypeOrm(source),
      write: (tx, { id, event }) => tx.getRepository(Transfer).insert({ eventId: id, name: event }),
      table: 'typeorm_transfers',
      close: () => source.destroy(),
    };
  },
  'Sequelize on pg over Postgres'(url) {
    const sequelize = new Sequelize(url, { logging: false });
    return {
      db: fromTransaction<Transaction>({
        dialect: 'postgres',
        run: (statement, transaction) => sequelize.query(statement, { transaction: transaction ?? null }),
        transaction: (work) => sequelize.transaction(work),
      }),
      write: (tx, { id, event }) => sequelize.query(`${INSERT} (?, ?)`, { replacements: [id, event], transaction: tx }),
      close: () => sequelize.close(),
    };
  },
};
