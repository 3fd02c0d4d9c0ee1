import { createClient } from '@libsql/client';
import Database from 'libsql';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as sql from '../../../../src/stores/sql/index.js';
import { nothing } from '../../../contracts/store-helpers.js';

const { fromBetterSqlite3, fromD1, fromDrizzle, fromKnex, fromKysely, fromLibsql, fromMysql2, fromPg, fromPrisma } =
  sql;
const { fromTransaction, fromTypeOrm, sqlStore } = sql;

type Name = Exclude<Extract<keyof typeof sql, `from${string}`>, 'fromTransaction'>;
const functions: Omit<typeof sql, 'default'> = { ...sql };
const NAMES = Object.keys(functions).filter((name) => /^from(?!Transaction)/.test(name)) as Name[];

/** Calls a function with what its type refuses. */
const call = (name: Name, value: unknown) => (): unknown => Reflect.apply(functions[name], undefined, [value]);
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) });

describe.each(NAMES)('%s', (name) => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['mysql://secret', 'a string'],
    [{}, 'an object'],
    [{ exec() {}, prepare() {} }, 'an object'],
    [() => {}, 'a function'],
  ])('refuses %s by its type', (value, type) => {
    expect(call(name, value)).toThrow(refusal(new RegExp(`^\`[a-z]+\` must be .*, got ${type}\\.$`, 'i')));
  });
});

const url = 'postgres://localhost/nowhere';
const pool = { options: { connectionTimeoutMillis: 5000 }, connect: nothing, query: nothing };
const raw = { $queryRawUnsafe: nothing, $executeRawUnsafe: nothing, $transaction: nothing };
const kysely = { selectFrom: nothing, transaction: nothing } as never;
const knexOf = (config: object) => ({ raw: nothing, transaction: nothing, client: { config } }) as never;
const sourceOf = (options: object) => ({ query: nothing, transaction: nothing, driver: {}, options }) as never;
const drizzleOf = (client: object) => ({ transaction: nothing, $client: client }) as never;
const clientOf = (dialect: string, more: object = {}) =>
  ({ dialect, run: nothing, transaction: nothing, ...more }) as never;

const statement = { all: async () => ({ results: [] }), bind: () => statement };
const session = { prepare: () => statement, batch: nothing, getBookmark: () => null };
const binding = { prepare: () => statement, batch: nothing, exec: nothing, withSession: () => session };

const REFUSED: Record<string, [() => unknown, RegExp]> = {
  'fromD1: a session, which may read from a replica that lags behind': [call('fromD1', session), /not a session of it/],
  'fromPg: a Client': [() => fromPg(new pg.Client(url) as never), /must be a Pool of pg, not a Client/],
  'fromPg: a Client of a pool': [
    () => fromPg(Object.assign(new pg.Client(url), { release() {} }) as never),
    /must be a Pool of pg, not a Client/,
  ],
  'fromPg: half a Pool': [call('fromPg', { connect: nothing }), /must be a Pool of pg/],
  'fromPostgresJs: half of it': [call('fromPostgresJs', { unsafe: nothing }), /must be the sql of postgres\.js/],
  'fromLibsql: a remote server': [
    () => fromLibsql(createClient({ url: 'http://127.0.0.1:1' })),
    /`file:` URL: the store does not support libsql servers/,
  ],
  'fromKnex: another driver': [() => fromKnex(knexOf({ client: 'better-sqlite3' })), /pg or mysql2.*For SQLite/],
  'fromTypeOrm: another type': [() => fromTypeOrm(sourceOf({ type: 'sqljs' })), /postgres, mysql or mariadb/],
  'fromTransaction: no function': [
    () => fromTransaction({ dialect: 'postgres', run: nothing } as never),
    /`run and transaction` must be functions of your client/,
  ],
  'fromTransaction: another dialect': [
    () => fromTransaction(clientOf('mssql')),
    /`dialect` must be 'postgres' or 'mysql', got/,
  ],
  'fromTransaction: SQLite': [() => fromTransaction(clientOf('sqlite')), /For SQLite, pass the driver to fromLibsql/],
  'fromKysely: a pool': [() => fromKysely(kysely, pool as never), /`client` must be the pool .* fromPg\(pool\)/],
  'fromKysely: postgres.js': [
    () => fromKysely(kysely, clientOf('postgres', { keepsSession: true })),
    /pass the sql itself to fromPostgresJs/,
  ],
  'fromKysely: SQLite': [() => fromKysely(kysely, clientOf('sqlite')), /clients of Postgres and MySQL/],
  'fromPrisma: SQLite': [
    () => fromPrisma({ ...raw, _activeProvider: 'sqlite' } as never),
    /clients of PostgreSQL and MySQL/,
  ],
  'fromPrisma: an unknown provider': [() => fromPrisma(raw as never), /`dialect` must be 'postgres' or 'mysql'/],
  'fromDrizzle: no client': [
    () => fromDrizzle({ transaction: nothing } as never),
    /`db` must be a database of Drizzle/,
  ],
  'fromDrizzle: D1': [() => fromDrizzle(drizzleOf(binding)), /`fromD1`/],
  'fromDrizzle: Bun.SQL': [
    () => fromDrizzle(drizzleOf({ unsafe: nothing, begin: nothing, beginDistributed: nothing, transaction: nothing })),
    /got Bun\.SQL; pass postgres\(url\) of postgres\.js/,
  ],
  'fromDrizzle: neon-http': [
    () => fromDrizzle(drizzleOf(Object.assign(() => {}, { unsafe: nothing, query: nothing, transaction: nothing }))),
    /got neon\(\); .* pass its Pool to fromPg, or in Drizzle neon-serverless/,
  ],
  'fromDrizzle: another driver': [() => fromDrizzle(drizzleOf({})), /over a pool of pg or mysql2/],
};

describe('a function of a client', () => {
  it.each(Object.entries(REFUSED))(
    'refuses what the store cannot use, and says what it takes: %s',
    (_, [create, message]) => {
      expect(create).toThrow(refusal(message));
    },
  );

  it('does not take the driver of another for its own', () => {
    const db = new Database(':memory:');
    onTestFinished(() => void db.close());
    for (const name of ['fromNodeSqlite', 'fromLibsql', 'fromMysql2'] as const) {
      expect(call(name, db)).toThrow(refusal(/must be/));
    }
    expect(() => fromBetterSqlite3(db)).not.toThrow();
  });

  it.each<[Name, string, unknown]>([
    ['fromPg', 'connectionTimeoutMillis', new pg.Pool({ connectionString: url })],
    ['fromPg', 'connectionTimeoutMillis', new pg.Pool({ connectionString: url, connectionTimeoutMillis: 0 })],
    ['fromMysql2', 'connectTimeout', createPool({ host: '127.0.0.1', connectTimeout: 0 })],
    ['fromKnex', 'connectionTimeoutMillis', knexOf({ client: 'pg', connection: {} })],
    ['fromTypeOrm', 'connectTimeoutMS', sourceOf({ type: 'postgres' })],
  ])('warns once of a client that waits for ever to connect: %s without %s', (name, option, client) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    for (let time = 0; time < 2; time++) expect(call(name, client)).not.toThrow();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`has no \`${option}\``), {
      code: 'EVENT_WEBHOOK_SQL_TIMEOUT',
    });
  });

  it('opens no connection', () => {
    const idle = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 1000 });
    for (const transactional of [true, false]) {
      expect(sqlStore({ db: fromPg(idle), transactional: transactional as true }).leaseMs).toBe(60_000);
    }
    expect(idle.totalCount).toBe(0);
  });

  const callbacks = createCallbackPool({ host: '127.0.0.1' });
  it.each<[string, string, () => sql.SqlDatabase<unknown>]>([
    ['mysql2 with callbacks', 'mysql', () => fromMysql2(callbacks)],
    ['mysql2 with promises', 'mysql', () => fromMysql2(callbacks.promise())],
    ['a Prisma client that shows no provider', 'postgres', () => fromPrisma(raw as never, { dialect: 'postgres' })],
    [
      'settings of Knex that are not known yet',
      'postgres',
      () => fromKnex(knexOf({ client: 'pg', connection: nothing })),
    ],
    ['mysql2 in Knex', 'mysql', () => fromKnex(knexOf({ client: 'mysql2' }))],
    ['mysql in TypeORM', 'mysql', () => fromTypeOrm(sourceOf({ type: 'mysql' }))],
    [
      'a time-out for pg among the extras of TypeORM',
      'postgres',
      () => fromTypeOrm(sourceOf({ type: 'postgres', extra: { connectionTimeoutMillis: 5000 } })),
    ],
  ])('takes %s', (_, dialect, create) => {
    expect(create().dialect).toBe(dialect);
  });

  it.each([
    ['fromNodeSqlite', { isOpen: true, isTransaction: false }, 'free'],
    ['fromNodeSqlite', { isOpen: true, isTransaction: true }, 'in a transaction'],
    ['fromNodeSqlite', { isOpen: false, isTransaction: false }, 'closed'],
    ['fromBunSqlite', { filename: '', inTransaction: false }, 'free'],
    ['fromBunSqlite', { filename: '', inTransaction: true }, 'in a transaction'],
  ] as const)('knows the state of a runtime’s SQLite: %s, %j', (name, state, expected) => {
    const database = call(name, { exec() {}, prepare() {}, ...state })() as { state(): string };
    expect(database.state()).toBe(expected);
  });

  it('has leases over D1: a transactional store says why not, and what to do', () => {
    const options = { db: fromD1(binding), transactional: true };
    expect(() => Reflect.apply(sqlStore, undefined, [options])).toThrow(
      refusal(/^`transactional` must be false with fromD1: D1 has no .* ON CONFLICT DO NOTHING/),
    );
    expect(sqlStore({ db: fromD1(binding) })).not.toHaveProperty('once');
  });
});
