import { describe, expect, it } from 'vitest';
import { type Dialect, type SqlDatabase, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
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
