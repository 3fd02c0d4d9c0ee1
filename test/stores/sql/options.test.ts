import { describe, expect, it } from 'vitest';
import { type Dialect, type SqlDatabase, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
import { failing, nothing, unique } from '../../contracts/store-helpers.js';

const db = (dialect: Dialect = 'postgres'): SqlDatabase => ({
  dialect,
  run: async () => ({ rows: [] }),
  transaction: nothing,
});

describe('the options of sqlStore', () => {
  it.each([
    [{ leaseMs: 0 }],
    [{ retentionMs: -1 }],
    [{ timeoutMs: 2 ** 31 }],
    [{ transactional: 'yes' }],
    [{ transactional: true, isolationLevel: 'chaos' }],
    [{ isolationLevel: 'serializable' }],
    [{ tabel: 'keys' }],
    [{ db: undefined }],
    [{ db: 'postgres://localhost' }],
    [{ db: { run: nothing } }],
    [{ db: { ...db(), dialect: 'oracle' } }],
  ])('refuse %j', (options) => {
    const name = Object.keys(options).at(-1) as string;
    expect(() => Reflect.apply(sqlStore, undefined, [{ db: db(), ...options }])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
    );
  });

  const names = [
    '',
    ' ',
    'a b',
    'a"b',
    'a`b',
    "a'b",
    'a;b',
    'a-b',
    '1a',
    '.',
    'a.',
    '.a',
    'a.b.c',
    'a..b',
    '"a"',
    'ключ',
  ];
  it.each([...names, 'a\n', 'a\0', 'x'.repeat(49), `${'s'.repeat(64)}.a`, 'keys; DROP TABLE users; --', 7])(
    'refuse the table %j',
    (table) => {
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
    },
  );

  it('are those of sqlDdl as far as it has them', () => {
    expect(sqlDdl({ dialect: 'postgres', table: 'App.keys' }).join()).toContain('"App"."keys"');
    expect(sqlDdl({ dialect: 'mysql' }).join()).toContain('`webhook_idempotency_keys`');
    expect(() => Reflect.apply(sqlDdl, undefined, [{ dialect: 'oracle' }])).toThrow('`dialect` must be');
    expect(() => Reflect.apply(sqlDdl, undefined, [{ dialect: 'sqlite', tabel: 'keys' }])).toThrow('`tabel`');
  });

  it('let a key that is claimed and freed over and over be in progress', async () => {
    let statements = 0;
    const run = async () => {
      statements++;
      return { rows: [] };
    };
    expect(await sqlStore({ db: { ...db(), run }, table: 'a.b' }).once(unique(), failing)).toBe('in-progress');
    expect(statements).toBe(10);
  });
});
