// Each ORM over Postgres, for the suites of the store.
import { PrismaPg } from '@prisma/adapter-pg';
import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import createKnex, { type Knex } from 'knex';
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { Sequelize, type Transaction as SequelizeTransaction } from 'sequelize';
import { DataSource, type EntityManager } from 'typeorm';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromPrisma,
  fromTransaction,
  fromTypeOrm,
} from '../../../src/stores/sql/index.js';
import type { ClientSettings, Row, SqlClient } from '../../../test/stores/sql/client.js';
import { openPg } from '../../../test/stores/sql/clients/pg.js';
import { openPostgresJs } from '../../../test/stores/sql/clients/postgres-js.js';
import { type Prisma, PrismaClient } from '../generated/postgres/index.js';

/** Options of pg. */
function pgOptions(url: string, { max = 10, session = {} }: ClientSettings) {
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`);
  return {
    connectionString: url,
    max,
    // Includes the wait for a free connection. The tests of outages have two.
    connectionTimeoutMillis: max > 2 ? 5000 : 1000,
    ...(options.length > 0 && { options: options.join(' ') }),
  };
}

const drizzleOverPg: SqlClient = {
  title: 'fromDrizzle over pg',
  losesAtBegin: true,
  begin: 'begin',
  connectsByDriver: true,
  dialect: 'postgres',
  open(url, settings) {
    // Its own pool: the oldest version takes no pool of another copy of pg.
    const db = drizzle({ connection: pgOptions(url, settings) });
    const pool = db.$client;
    return {
      db: fromDrizzle(db),
      // Awaited, because Drizzle sends a statement each time that somebody waits for it.
      runIn: async (tx: NodePgDatabase, text) => await tx.execute(sql.raw(text)),
      run: async (text) => (await db.execute<Row>(sql.raw(text))).rows,
      close: () => pool.end(),
    };
  },
};

const drizzleOverPostgresJs: SqlClient = {
  title: 'fromDrizzle over postgres.js',
  crashes: true,
  begin: 'begin',
  hasOwnSavepoints: true,
  connectsByDriver: true,
  dialect: 'postgres',
  open(url, settings) {
    const client = openPostgresJs(url, settings);
    const db = drizzlePostgresJs(client);
    return {
      db: fromDrizzle(db),
      runIn: async (tx: PostgresJsDatabase, text) => await tx.execute(sql.raw(text)),
      run: async (text) => await db.execute<Row>(sql.raw(text)),
      close: () => client.end({ timeout: 1 }),
    };
  },
};

const prismaOverPg: SqlClient = {
  title: 'fromPrisma over pg',
  refusesItself: true,
  dialect: 'postgres',
  open(url, settings) {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ ...pgOptions(url, settings), query_timeout: 2000 }) });
    return {
      db: fromPrisma(prisma),
      runIn: (tx: Prisma.TransactionClient, text) => tx.$executeRawUnsafe(text),
      run: (text) => prisma.$queryRawUnsafe<Row[]>(text),
      close: () => prisma.$disconnect(),
    };
  },
};

const kyselyOverPg: SqlClient = {
  title: 'fromKysely over pg',
  begin: 'begin',
  connectsByDriver: true,
  dialect: 'postgres',
  open(url, settings) {
    const pool = openPg(url, settings, { connectionTimeoutMillis: 5000 });
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
    return {
      db: fromKysely(kysely, fromPg(pool)),
      runIn: (tx: Transaction<unknown>, text) => tx.executeQuery(CompiledQuery.raw(text)),
      run: async (text) => (await kysely.executeQuery<Row>(CompiledQuery.raw(text))).rows,
      close: () => kysely.destroy(),
    };
  },
};

const knexOverPg: SqlClient = {
  title: 'fromKnex over pg',
  keepsSilent: true,
  dialect: 'postgres',
  open(url, settings) {
    const { max, ...connection } = pgOptions(url, settings);
    const log = { warn() {}, error() {} };
    const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max }, log });
    return {
      db: fromKnex(knex),
      runIn: async (tx: Knex.Transaction, text) => await tx.raw(text),
      run: async (text) => (await knex.raw<{ rows: Row[] }>(text)).rows,
      close: () => knex.destroy(),
    };
  },
};

const typeOrmOverPg: SqlClient = {
  title: 'fromTypeOrm over pg',
  keepsSilent: true,
  dialect: 'postgres',
  begin: 'START TRANSACTION',
  async open(url, settings) {
    const { connectionString, ...extra } = pgOptions(url, settings);
    const source = new DataSource({ type: 'postgres', url, extra, poolErrorHandler: () => {} });
    await source.initialize();
    return {
      db: fromTypeOrm(source),
      runIn: (tx: EntityManager, text) => tx.query(text),
      run: (text) => source.query(text),
      close: () => source.destroy(),
    };
  },
};

/** Sequelize listens to `error` only once a connection is set up, as docs/stores/sequelize.md says. */
class ListeningClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super(options);
    this.on('error', () => {});
  }
}

const sequelizeOverPg: SqlClient = {
  title: 'fromTransaction over Sequelize',
  refusesItself: true,
  keepsSilent: true,
  begin: 'START TRANSACTION',
  dialect: 'postgres',
  open(url, settings) {
    const { connectionString, max, ...options } = pgOptions(url, settings);
    const sequelize = new Sequelize(connectionString, {
      dialect: 'postgres',
      dialectOptions: options,
      dialectModule: { ...pg, Client: ListeningClient },
      pool: { max },
      logging: false,
    });
    return {
      db: fromTransaction<SequelizeTransaction>({
        dialect: 'postgres',
        run: (statement, transaction) => sequelize.query(statement, { transaction: transaction ?? null }),
        transaction: (work, { isolationLevel }) =>
          sequelize.transaction(
            isolationLevel
              ? { isolationLevel: isolationLevel.toUpperCase() as SequelizeTransaction.ISOLATION_LEVELS }
              : {},
            work,
          ),
      }),
      runIn: (tx: SequelizeTransaction, text) => sequelize.query(text, { transaction: tx }),
      run: async (text) => (await sequelize.query(text))[0] as Row[],
      close: () => sequelize.close(),
    };
  },
};

export const clients: readonly SqlClient[] = [
  drizzleOverPg,
  drizzleOverPostgresJs,
  prismaOverPg,
  kyselyOverPg,
  knexOverPg,
  typeOrmOverPg,
  sequelizeOverPg,
];
