import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromBetterSqlite3, sqlDdl, sqlStore } from '../../../src/stores/sql/index.js';
import { nothing } from '../../contracts/store-helpers.js';
import { libsqlClients } from './clients/libsql.js';
import { useDirectory, useFile } from './sqlite/file.js';
import { describeCursor, describeCursors } from './suites/cursor.js';

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
    await expect(failing.cursor('chain').read()).rejects.toMatchObject({
      message: 'The cursor chain could not be read.',
    });
  });

  /** A cursor of SQLite whose statements each find a row, unless `fail` throws, and what was sent. */
  const noting = (fail: (count: number) => void = () => {}) => {
    const sent: [string, (readonly string[])?][] = [];
    const run = async (statement: string, _timeoutMs?: number, values?: readonly string[]) => {
      sent.push(values ? [statement, values] : [statement]);
      fail(sent.length);
      return { rows: [{ 1: 1 }] };
    };
    return { sent, cursor: sqlStore({ db: { dialect: 'sqlite', run } }).cursor('chain') };
  };

  it('has the same text in the table in every release', async () => {
    const { sent, cursor } = noting();
    expect(await cursor.write(`!'()*~ "\ud800é"`, `{"v":[1,2]}`)).toBe(true);
    expect(sent).toEqual([
      [
        `UPDATE "webhook_idempotency_keys_cursors" SET value = ? WHERE name = 'chain' AND value = ? RETURNING 1`,
        [`!'()*~%20"%EF%BF%BD%C3%A9"`, `{"v":[1,2]}`],
      ],
    ]);
  });

  it('is written again after a conflict, up to five times', async () => {
    const conflict = Object.assign(new Error('conflict'), { code: '40001' });
    const failingBefore = (tries: number, error: Error) =>
      noting((count) => {
        if (count < tries) throw error;
      });
    const last = failingBefore(5, conflict);
    expect(await last.cursor.write('1', undefined)).toBe(true);
    expect(last.sent).toHaveLength(5);
    const lost = failingBefore(6, conflict);
    await expect(lost.cursor.write('1', undefined)).rejects.toMatchObject({ cause: conflict });
    expect(lost.sent).toHaveLength(5);
    const failed = failingBefore(2, new Error('disk full'));
    await expect(failed.cursor.write('1', undefined)).rejects.toMatchObject({ cause: new Error('disk full') });
    expect(failed.sent).toHaveLength(1);
  });

  it('takes texts of up to 1.9 million characters', async () => {
    const { sent, cursor } = noting();
    expect(await cursor.write('x'.repeat(1_900_000), undefined)).toBe(true);
    await expect(cursor.write('x'.repeat(1_900_001), undefined)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: 'The value of a cursor is too long: 1900001 characters in the table.',
    });
    expect(sent).toHaveLength(1);
  });
});
