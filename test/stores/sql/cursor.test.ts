import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromBetterSqlite3, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
import { nothing } from '../../contracts/store-helpers.js';
import { libsqlClients } from './clients/libsql.js';
import { describeDrivers } from './servers.js';
import { useDirectory, useFile } from './sqlite/file.js';
import { describeCursor, describeCursors } from './suites/cursor.js';

describeDrivers([describeCursor]);
for (const client of libsqlClients) describeCursor(client, useFile());

const path = useDirectory();
describeCursors('fromBetterSqlite3', async (settings) => {
  const db = new Database(path('cursors.db'));
  onTestFinished(() => void db.close());
  const store = sqlStore({ db: fromBetterSqlite3(db), ...settings });
  if (!settings) await store.migrate();
  return store;
});

describe('a cursor of sqlStore', () => {
  const db = { dialect: 'postgres' as const, transaction: nothing, run: async () => ({ rows: [] }) };

  it.each(['', 'a b', "a'b", 'x'.repeat(201), 'ключ', undefined, 7])('refuses the name %j', (name) => {
    const store = sqlStore({ db });
    expect(() => Reflect.apply(store.cursor, store, [name])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('`name` must be up to') }),
    );
  });

  it('has its table in the statements of sqlDdl', () => {
    for (const dialect of ['postgres', 'mysql', 'sqlite'] as const) {
      expect(sqlDdl({ dialect, table: 'keys' }).join()).toMatch(/CREATE TABLE IF NOT EXISTS ["`]keys_cursors["`]/);
    }
  });

  it('rejects when the database does not answer, and names the cursor when it fails', async () => {
    const silent = sqlStore({ db: { ...db, run: () => new Promise(nothing) }, timeoutMs: 20 });
    await expect(silent.cursor('chain').read()).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: 'The database did not answer within 20 ms (timeoutMs).',
    });
    const failing = sqlStore({ db: { ...db, run: () => Promise.reject(new Error('disk full')) } });
    await expect(failing.cursor('chain').write('1', undefined)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: 'The cursor chain could not be written.',
      cause: new Error('disk full'),
    });
  });
});
