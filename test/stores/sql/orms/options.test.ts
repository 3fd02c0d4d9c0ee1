import { describe, expect, it, vi } from 'vitest';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromPrisma,
  fromSequelize,
  fromTypeOrm,
  type SqlDatabase,
} from '../../../../src/stores/sql/index.js';

const ERR_CONFIG = 'ERR_WEBHOOK_CONFIG';
const nothing = () => {};
const pool = { options: { connectionTimeoutMillis: 5000 }, connect: nothing, query: nothing };
const raw = { $queryRawUnsafe: nothing, $executeRawUnsafe: nothing, $transaction: nothing };
const kysely = { getExecutor: nothing, transaction: nothing };
const knexOf = (client: object) => ({ transaction: nothing, client: { acquireConnection: nothing, ...client } });
const sourceOf = (options: object) => ({ createQueryRunner: nothing, options });
const sequelizeOf = (dialect: string, options: object) => ({
  connectionManager: {
    getConnection: nothing,
    releaseConnection: nothing,
    destroyConnection: nothing,
    lib: { Client: class {} },
  },
  getDialect: () => dialect,
  transaction: nothing,
  options,
});
const drizzleOf = (client: object) => ({ transaction: nothing, session: { transaction: nothing, client } }) as never;
const adapterOf = (config: object) => ({ ...raw, _activeProvider: 'postgresql', _engineConfig: { adapter: config } });

const refused: Record<string, [() => unknown, RegExp]> = {
  'fromKnex, a URL': [() => fromKnex('postgres://' as never), /`knex` must be an instance of Knex, got a string/],
  'fromKnex, an object': [() => fromKnex({} as never), /`knex` must be an instance of Knex, got an object/],
  'fromKnex, another driver': [
    () => fromKnex(knexOf({ driverName: 'better-sqlite3' }) as never),
    /pg or mysql2.*For SQLite/,
  ],
  'fromTypeOrm, null': [() => fromTypeOrm(null as never), /`dataSource` must be a DataSource of TypeORM, got null/],
  'fromTypeOrm, another type': [() => fromTypeOrm(sourceOf({ type: 'sqljs' }) as never), /postgres, mysql or mariadb/],
  'fromSequelize, a URL': [
    () => fromSequelize('postgres://' as never),
    /`sequelize` must be an instance of Sequelize 6, got a string/,
  ],
  'fromSequelize, an instance without a connection manager': [
    () => fromSequelize({ ...sequelizeOf('postgres', {}), connectionManager: {} } as never),
    /`sequelize` must be an instance of Sequelize 6, got an object/,
  ],
  'fromSequelize, another dialect': [
    () => fromSequelize(sequelizeOf('mysql', {}) as never),
    /dialect postgres, not native\. For MySQL/,
  ],
  'fromSequelize, native': [
    () => fromSequelize(sequelizeOf('postgres', { native: true }) as never),
    /dialect postgres, not native/,
  ],
  'fromKysely, an object': [() => fromKysely({} as never, fromPg(pool as never)), /`kysely` must be an instance/],
  'fromKysely, a pool': [
    () => fromKysely(kysely as never, pool as never),
    /`client` must be the pool .* fromPg\(pool\)/,
  ],
  'fromKysely, SQLite': [
    () => fromKysely(kysely as never, { dialect: 'sqlite', run: nothing, transaction: nothing } as never),
    /clients of Postgres and MySQL/,
  ],
  'fromPrisma, undefined': [() => fromPrisma(undefined as never), /`prisma` must be a PrismaClient, got undefined/],
  'fromPrisma, SQLite': [
    () => fromPrisma({ ...raw, _activeProvider: 'sqlite' } as never),
    /clients of PostgreSQL and MySQL/,
  ],
  'fromPrisma, an unknown provider': [() => fromPrisma(raw as never), /`dialect` must be 'postgres' or 'mysql'/],
  'fromDrizzle, an object': [() => fromDrizzle({} as never), /`db` must be a database of Drizzle, got an object/],
  'fromDrizzle, no client': [
    () => fromDrizzle({ transaction: nothing, session: { transaction: nothing } } as never),
    /`db` must be a database of Drizzle/,
  ],
  'fromDrizzle, Bun.SQL': [
    () => fromDrizzle(drizzleOf({ unsafe: nothing, begin: nothing, beginDistributed: nothing, transaction: nothing })),
    /got Bun\.SQL; pass postgres\(url\) of postgres\.js/,
  ],
  'fromDrizzle, neon-http': [
    () => fromDrizzle(drizzleOf(Object.assign(() => {}, { unsafe: nothing, query: nothing, transaction: nothing }))),
    /got neon\(\); .* pass its Pool to fromPg, or in Drizzle neon-serverless/,
  ],
  'fromDrizzle, another driver': [
    () => fromDrizzle({ transaction: nothing, session: { transaction: nothing, client: {} } } as never),
    /over a pool of pg or mysql2/,
  ],
};

describe('databases of ORMs', () => {
  it.each(Object.entries(refused))('%s: a ConfigError that says what it takes', (_, [create, message]) => {
    expect(create).toThrow(expect.objectContaining({ code: ERR_CONFIG, message: expect.stringMatching(message) }));
  });

  it.each<[string, () => unknown]>([
    ['connectionTimeoutMillis', () => fromKnex(knexOf({ driverName: 'pg', connectionSettings: {} }) as never)],
    ['connectTimeoutMS', () => fromTypeOrm(sourceOf({ type: 'postgres' }) as never)],
    [
      'query_timeout',
      () => fromSequelize(sequelizeOf('postgres', { dialectOptions: { connectionTimeoutMillis: 1 } }) as never),
    ],
    ['connectionTimeoutMillis', () => fromSequelize(sequelizeOf('postgres', { dialectOptions: {} }) as never)],
    [
      'query_timeout',
      () =>
        fromPrisma(adapterOf({ adapterName: '@prisma/adapter-pg', config: { connectionTimeoutMillis: 1 } }) as never),
    ],
  ])('are warned of, once, without %s', (option, create) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    create();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`has no \`${option}\``), {
      code: 'EVENT_WEBHOOK_SQL_TIMEOUT',
    });
    warn.mockRestore();
  });

  it.each<[string, string, () => SqlDatabase<unknown>]>([
    ['a Prisma client that shows no adapter', 'postgres', () => fromPrisma(raw as never, { dialect: 'postgres' })],
    ['a Prisma client of another adapter', 'postgres', () => fromPrisma(adapterOf({ adapterName: 'neon' }) as never)],
    ['settings of Knex that are not known yet', 'postgres', () => fromKnex(knexOf({ driverName: 'pg' }) as never)],
    ['mysql2 in Knex', 'mysql', () => fromKnex(knexOf({ driverName: 'mysql2' }) as never)],
    ['mysql in TypeORM', 'mysql', () => fromTypeOrm(sourceOf({ type: 'mysql' }) as never)],
    [
      'a time-out for pg among the extras of TypeORM',
      'postgres',
      () => fromTypeOrm(sourceOf({ type: 'postgres', extra: { connectionTimeoutMillis: 5000 } }) as never),
    ],
  ])('take %s', (_, dialect, create) => {
    expect(create().dialect).toBe(dialect);
  });
});
