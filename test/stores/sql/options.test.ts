import { describe, expect, it } from 'vitest';
import {
  type Dialect,
  fromD1,
  fromDrizzle,
  type SqlDatabase,
  sqlDdl,
  sqlStore,
} from '../../../src/stores/sql/index.js';
import { nothing } from '../../contracts/store-helpers.js';

const db = (dialect: Dialect = 'postgres'): SqlDatabase => ({
  dialect,
  run: async () => ({ rows: [] }),
  transaction: nothing,
});

describe('the options of sqlStore', () => {
  it.each<[object, string]>([
    [{ db: 7 }, '`db` must be the result of a from… function, such as fromPg(pool), got a number.'],
    [{ leaseMs: 0 }, '`leaseMs`'],
    [{ retentionMs: -1 }, '`retentionMs`'],
    [{ timeoutMs: 2 ** 31 }, '`timeoutMs`'],
    [{ db: { run: nothing, dialect: 'postgres' } }, '`db`'],
    [{ db: { ...db(), dialect: 'oracle' } }, '`db`'],
    [{ transactional: 'yes' }, '`transactional` must be a boolean, got a string.'],
    [
      { transactional: true, isolationLevel: 'chaos' },
      "`isolationLevel` must be 'read committed', 'repeatable read', 'serializable', got a string.",
    ],
    [
      { isolationLevel: 'serializable' },
      '`isolationLevel` must be undefined without `transactional` and in SQLite, got a string.',
    ],
    [
      { db: db('sqlite'), transactional: true, isolationLevel: 'serializable' },
      '`isolationLevel` must be undefined without `transactional` and in SQLite, got a string.',
    ],
    [{ isolation: 1 }, '`sqlStore` has no option `isolation`. Did you mean `isolationLevel`?'],
  ])('say what they take: %o', (options, message) => {
    expect(() => Reflect.apply(sqlStore, undefined, [{ db: db(), ...options }])).toThrow(message);
  });

  it('may be any isolation level of SQL that has one with transactions', () => {
    for (const isolationLevel of ['read committed', 'repeatable read', 'serializable'] as const) {
      for (const dialect of ['postgres', 'mysql'] as const) {
        expect(sqlStore({ db: db(dialect), transactional: true, isolationLevel })).toHaveProperty('once');
      }
    }
  });

  it.each([
    '',
    ' ',
    'a b',
    'a"b',
    'a`b',
    "a'b",
    'a;b',
    '1a',
    'a.',
    '.a',
    'a.b.c',
    'ключ',
    'a\n',
    'a\0',
    'x'.repeat(49),
    7,
  ])('refuse the table %j', (table) => {
    for (const dialect of ['postgres', 'mysql', 'sqlite'] as const) {
      for (const call of [
        () => Reflect.apply(sqlStore, undefined, [{ db: db(dialect), table }]),
        () => Reflect.apply(sqlDdl, undefined, [{ dialect, table }]),
      ]) {
        expect(call).toThrow(
          expect.objectContaining({
            code: 'ERR_WEBHOOK_CONFIG',
            message: expect.stringMatching(/^`table` must be a name of at most 48 .*, got \w/),
          }),
        );
      }
    }
  });

  it('are those of sqlDdl as far as it has them', () => {
    expect(sqlDdl({ dialect: 'postgres', table: 'App.keys' }).join()).toContain('"App"."keys"');
    expect(sqlDdl({ dialect: 'mysql' }).join()).toContain('`webhook_idempotency_keys`');
    expect(() => Reflect.apply(sqlDdl, undefined, [{ dialect: 'oracle' }])).toThrow(
      "`dialect` must be 'postgres', 'mysql' or 'sqlite', got a string.",
    );
    expect(() => Reflect.apply(sqlDdl, undefined, [{ dialect: 'sqlite', tabel: 'keys' }])).toThrow(
      '`sqlDdl` has no option `tabel`. Did you mean `table`?',
    );
  });
});

describe('fromD1', () => {
  const all = async () => ({ results: [] });
  const statement = { all, bind: () => statement };
  const session = { prepare: () => statement, batch: nothing, getBookmark: () => null };
  const binding = { prepare: () => statement, batch: nothing, exec: nothing, withSession: () => session };

  it.each([
    ['a session, which may read from a replica that lags behind', session],
    ['a connection to a file', { prepare: () => statement, exec: nothing }],
    ['a name', 'DB'],
    ['a binding that is missing', undefined],
  ])('refuses %s', (_, value) => {
    expect(() => Reflect.apply(fromD1, undefined, [value])).toThrow(
      expect.objectContaining({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringMatching(
          /^`database` must be the binding of a D1 database, .* got (an object|a string|un)/,
        ),
      }),
    );
  });

  it('is what fromDrizzle names for a database of Drizzle on D1', () => {
    const drizzle = { $client: binding, transaction: nothing } as never;
    expect(() => fromDrizzle(drizzle)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('`fromD1`') }),
    );
  });

  it('is for leases: a transactional store says why not, and what to do', () => {
    const options = { db: fromD1(binding), transactional: true };
    expect(() => Reflect.apply(sqlStore, undefined, [options])).toThrow(
      expect.objectContaining({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringMatching(
          /^`transactional` must be false with fromD1: D1 has no .* ON CONFLICT DO NOTHING/,
        ),
      }),
    );
    expect(sqlStore({ db: fromD1(binding) })).not.toHaveProperty('once');
  });
});
