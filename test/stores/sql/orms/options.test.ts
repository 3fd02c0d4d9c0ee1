import { describe, expect, it, vi } from 'vitest';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromPrisma,
  fromTransaction,
  fromTypeOrm,
  type SqlDatabase,
} from '../../../../src/stores/sql/index.js';

const ERR_CONFIG = 'ERR_WEBHOOK_CONFIG';
const nothing = () => {};
const pool = { options: { connectionTimeoutMillis: 5000 }, connect: nothing, query: nothing };
const raw = { $queryRawUnsafe: nothing, $executeRawUnsafe: nothing, $transaction: nothing };
const kysely = { selectFrom: nothing, transaction: nothing };
const knexOf = (config: object) => ({ raw: nothing, transaction: nothing, client: { config } });
const sourceOf = (options: object) => ({ query: nothing, transaction: nothing, driver: {}, options });
const drizzleOf = (client: object) => ({ transaction: nothing, $client: client }) as never;

const refused: Record<string, [() => unknown, RegExp]> = {
  'fromKnex, a URL': [() => fromKnex('postgres://' as never), /`knex` must be an instance of Knex, got a string/],
  'fromKnex, an object': [() => fromKnex({} as never), /`knex` must be an instance of Knex, got an object/],
  'fromKnex, another driver': [
    () => fromKnex(knexOf({ client: 'better-sqlite3' }) as never),
    /pg or mysql2.*For SQLite/,
  ],
  'fromTypeOrm, null': [() => fromTypeOrm(null as never), /`dataSource` must be a DataSource of TypeORM, got null/],
  'fromTypeOrm, another type': [() => fromTypeOrm(sourceOf({ type: 'sqljs' }) as never), /postgres, mysql or mariadb/],
  'fromTransaction, no function': [
    () => fromTransaction({ dialect: 'postgres', run: nothing } as never),
    /`run and transaction` must be functions of your client/,
  ],
  'fromTransaction, another dialect': [
    () => fromTransaction({ dialect: 'mssql', run: nothing, transaction: nothing } as never),
    /`dialect` must be 'postgres' or 'mysql', got/,
  ],
  'fromTransaction, SQLite': [
    () => fromTransaction({ dialect: 'sqlite', run: nothing, transaction: nothing } as never),
    /For SQLite, pass the driver to fromLibsql/,
  ],
  'fromKysely, an object': [() => fromKysely({} as never, fromPg(pool as never)), /`kysely` must be an instance/],
  'fromKysely, a pool': [
    () => fromKysely(kysely as never, pool as never),
    /`client` must be the pool .* fromPg\(pool\)/,
  ],
  'fromKysely, postgres.js': [
    () =>
      fromKysely(
        kysely as never,
        { dialect: 'postgres', run: nothing, transaction: nothing, keepsSession: true } as never,
      ),
    /pass the sql itself to fromPostgresJs/,
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
    () => fromDrizzle({ transaction: nothing } as never),
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
  'fromDrizzle, another driver': [() => fromDrizzle(drizzleOf({})), /over a pool of pg or mysql2/],
};

describe('databases of ORMs', () => {
  it.each(Object.entries(refused))('%s: a ConfigError that says what it takes', (_, [create, message]) => {
    expect(create).toThrow(expect.objectContaining({ code: ERR_CONFIG, message: expect.stringMatching(message) }));
  });

  it.each<[string, () => unknown]>([
    ['connectionTimeoutMillis', () => fromKnex(knexOf({ client: 'pg', connection: {} }) as never)],
    ['connectTimeoutMS', () => fromTypeOrm(sourceOf({ type: 'postgres' }) as never)],
  ])('are warned of, once, without %s', (option, create) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    create();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`has no \`${option}\``), {
      code: 'EVENT_WEBHOOK_SQL_TIMEOUT',
    });
    warn.mockRestore();
  });

  it.each<[string, string, () => SqlDatabase<unknown>]>([
    ['a Prisma client that shows no provider', 'postgres', () => fromPrisma(raw as never, { dialect: 'postgres' })],
    [
      'settings of Knex that are not known yet',
      'postgres',
      () => fromKnex(knexOf({ client: 'pg', connection: nothing }) as never),
    ],
    ['mysql2 in Knex', 'mysql', () => fromKnex(knexOf({ client: 'mysql2' }) as never)],
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
