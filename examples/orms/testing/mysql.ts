// Each ORM over MySQL and MariaDB, for the suites of the store.
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { sql } from 'drizzle-orm';
import { drizzle, type MySql2Database } from 'drizzle-orm/mysql2';
import createKnex, { type Knex } from 'knex';
import { CompiledQuery, Kysely, MysqlDialect, type Transaction } from 'kysely';
import mysql from 'mysql2';
import { DataSource, type EntityManager } from 'typeorm';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromMysql2,
  fromPrisma,
  fromTypeOrm,
} from '../../../src/stores/sql/index.js';
import type { ClientSettings, Row, SqlClient } from '../../../test/stores/sql/client.js';
import { type Prisma, PrismaClient } from '../generated/mysql/index.js';

const openPool = (uri: string, { max = 10 }: ClientSettings) =>
  mysql.createPool({ uri, connectionLimit: max, connectTimeout: 1000 });

const drizzleOverMysql2: SqlClient = {
  title: 'fromDrizzle over mysql2',
  connectsByDriver: true,
  dialect: 'mysql',
  begin: 'begin',
  open(url, settings) {
    const pool = openPool(url, settings).promise();
    const db = drizzle(pool);
    return {
      db: fromDrizzle(db),
      runIn: async (tx: MySql2Database, text) => await tx.execute(sql.raw(text)),
      run: async (text) => (await db.execute(sql.raw(text)))[0] as unknown as Row[],
      close: () => pool.end(),
    };
  },
};

const prismaOverMariadb: SqlClient = {
  title: 'fromPrisma over mariadb',
  refusesItself: true,
  dialect: 'mysql',
  open(url, { max = 10 }) {
    const { hostname, port, username, password, pathname } = new URL(url);
    const adapter = new PrismaMariaDb({
      host: hostname,
      port: Number(port),
      user: username,
      password,
      database: pathname.slice(1),
      connectionLimit: max,
      connectTimeout: 1000,
      socketTimeout: 2000,
    });
    const prisma = new PrismaClient({ adapter });
    return {
      db: fromPrisma(prisma),
      runIn: (tx: Prisma.TransactionClient, text) => tx.$executeRawUnsafe(text),
      run: (text) => prisma.$queryRawUnsafe<Row[]>(text),
      close: () => prisma.$disconnect(),
    };
  },
};

const kyselyOverMysql2: SqlClient = {
  title: 'fromKysely over mysql2',
  connectsByDriver: true,
  dialect: 'mysql',
  begin: 'begin',
  open(url, settings) {
    const pool = openPool(url, settings);
    const kysely = new Kysely({ dialect: new MysqlDialect({ pool }) });
    return {
      db: fromKysely(kysely, fromMysql2(pool.promise())),
      runIn: (tx: Transaction<unknown>, text) => tx.executeQuery(CompiledQuery.raw(text)),
      run: async (text) => (await kysely.executeQuery<Row>(CompiledQuery.raw(text))).rows,
      close: () => kysely.destroy(),
    };
  },
};

const knexOverMysql2: SqlClient = {
  title: 'fromKnex over mysql2',
  keepsSilent: true,
  dialect: 'mysql',
  open(url, { max = 10 }) {
    const { hostname, port, username, password, pathname } = new URL(url);
    const connection = {
      host: hostname,
      port: Number(port),
      user: username,
      password,
      database: pathname.slice(1),
      connectTimeout: 1000,
    };
    const log = { warn() {}, error() {} };
    const knex = createKnex({ client: 'mysql2', connection, pool: { min: 0, max }, log });
    return {
      db: fromKnex(knex),
      runIn: async (tx: Knex.Transaction, text) => await tx.raw(text),
      run: async (text) => ((await knex.raw<[Row[]]>(text)) as [Row[]])[0],
      close: () => knex.destroy(),
    };
  },
};

const typeOrmOverMysql2: SqlClient = {
  title: 'fromTypeOrm over mysql2',
  keepsSilent: true,
  dialect: 'mysql',
  begin: 'START TRANSACTION',
  async open(url, { max = 10 }) {
    const source = new DataSource({ type: 'mariadb', url, connectTimeout: 1000, extra: { connectionLimit: max } });
    await source.initialize();
    return {
      db: fromTypeOrm(source),
      runIn: (tx: EntityManager, text) => tx.query(text),
      run: (text) => source.query(text),
      close: () => source.destroy(),
    };
  },
};

export const clients: readonly SqlClient[] = [
  drizzleOverMysql2,
  prismaOverMariadb,
  kyselyOverMysql2,
  knexOverMysql2,
  typeOrmOverMysql2,
];
