import { createClient } from '@libsql/client';
import Database from 'libsql';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  fromBetterSqlite3,
  fromBunSqlite,
  fromLibsql,
  fromMysql2,
  fromNodeSqlite,
  fromPGlite,
} from '../../../../src/stores/sql/index.js';

const FUNCTIONS = { fromBetterSqlite3, fromBunSqlite, fromLibsql, fromMysql2, fromNodeSqlite, fromPGlite };

/** Calls a function with what its type refuses. */
const call = (name: keyof typeof FUNCTIONS, value: unknown) => () => Reflect.apply(FUNCTIONS[name], undefined, [value]);

describe.each(Object.keys(FUNCTIONS) as (keyof typeof FUNCTIONS)[])('%s', (name) => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['mysql://secret', 'a string'],
    [{}, 'an object'],
    [{ exec() {}, prepare() {} }, 'an object'],
    [() => {}, 'a function'],
  ])('refuses %s by its type', (value, type) => {
    expect(call(name, value)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(`, got ${type}\\.$`) }),
    );
  });
});

describe('the drivers', () => {
  it.each([
    ['fromNodeSqlite', { isOpen: true, isTransaction: false }, 'free'],
    ['fromNodeSqlite', { isOpen: true, isTransaction: true }, 'in a transaction'],
    ['fromNodeSqlite', { isOpen: false, isTransaction: false }, 'closed'],
    ['fromBunSqlite', { filename: '', inTransaction: false }, 'free'],
    ['fromBunSqlite', { filename: '', inTransaction: true }, 'in a transaction'],
  ] as const)('of the runtimes say their state: %s, %j', (name, state, expected) => {
    const database = call(name, { exec() {}, prepare() {}, ...state })() as { state(): string };
    expect(database.state()).toBe(expected);
  });

  it('are not confused', () => {
    const db = new Database(':memory:');
    onTestFinished(() => void db.close());
    for (const name of ['fromNodeSqlite', 'fromLibsql', 'fromMysql2'] as const) {
      expect(call(name, db)).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
    }
    expect(() => fromBetterSqlite3(db)).not.toThrow();
  });

  it('may call back in mysql2, and are warned of without a time limit for connecting', () => {
    const callbacks = createCallbackPool({ host: '127.0.0.1' });
    onTestFinished(() => callbacks.end());
    expect(() => fromMysql2(callbacks)).not.toThrow();
    expect(() => fromMysql2(callbacks.promise())).not.toThrow();
    const endless = createPool({ host: '127.0.0.1', connectTimeout: 0 });
    onTestFinished(() => endless.end());
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    fromMysql2(endless);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('no `connectTimeout`'), {
      code: 'EVENT_WEBHOOK_SQL_TIMEOUT',
    });
    warn.mockRestore();
  });

  it('need a file in libsql', () => {
    const remote = createClient({ url: 'http://127.0.0.1:1' });
    onTestFinished(() => remote.close());
    expect(call('fromLibsql', remote)).toThrow(/`file:` URL: the store does not support libsql servers/);
  });
});
