import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { fileStorage } from '../../src/service/storage.js';
import { directory, newFile, oneEmitted, using } from './storages.js';

describe('the file of a local service', () => {
  it('is readable by its owner only, as are the files that SQLite keeps beside it', async () => {
    for (const before of [undefined, '', 'ours']) {
      const file = newFile();
      if (before !== undefined) writeFileSync(file, '', { mode: 0o666 });
      if (before === 'ours') await using(fileStorage(file), () => {});
      if (before !== undefined) chmodSync(file, 0o644);
      await using(fileStorage(file), ({ commit }) => {
        commit({ key: 'a' });
        const beside = readdirSync(directory).filter((name) => name.startsWith(basename(file)));
        expect(beside.length).toBeGreaterThan(1);
        expect(beside.map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual(beside.map(() => 0o600));
      });
    }
  });

  it.each([
    ['text', 'not a database\n'],
    ['a short text', 'x'],
    ['long text', 'not a database\n'.repeat(1000)],
    ['binary data', '\0\0\0\0'],
  ])('that contains %s is refused and left unchanged', async (_, content) => {
    const file = newFile();
    writeFileSync(file, content);
    await expect(fileStorage(file)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringMatching(`\`file\`: ${file} was not created by a local service`),
    });
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(readdirSync(directory).filter((name) => name.startsWith(`${basename(file)}-`))).toEqual([]);
  });

  it.each([
    ['another application', 'CREATE TABLE mine (a); PRAGMA application_id = 7'],
    ['another application, without tables', 'PRAGMA application_id = 7'],
    ['a later version', `PRAGMA application_id = ${0x65_77_68_73}; PRAGMA user_version = 2`],
  ])('that is a database of %s is refused and left unchanged', async (_, sql) => {
    const file = newFile();
    const database = new Database(file);
    database.exec(sql);
    database.close();
    const before = readFileSync(file);
    await expect(fileStorage(file)).rejects.toThrow('was not created by a local service');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  const damage = (table: string, fields: string) => `UPDATE ${table} SET fields = CAST(${fields} AS BLOB)`;

  it.each([
    ['a record that is not JSON', damage('webhooks', `'{'`)],
    ['a record that is not an object', damage('webhooks', `'null'`)],
    ['a record that is not UTF-8', damage('webhooks', `x'7b22ff227d'`)],
    ['a delivery that is not an object', damage('deliveries', `'null'`)],
    ['a webhook that is gone', 'PRAGMA foreign_keys = OFF; DELETE FROM webhooks'],
    ['a next id that was given before', damage('service', `'{"next":{"webhook":2,"delivery":1,"event":2}}'`)],
    ['a next id that is not a number', damage('service', `'{"next":{"webhook":2,"delivery":2,"event":"x"}}'`)],
    ['the next ids gone', 'DELETE FROM service'],
    ['a table', 'DROP TABLE deliveries'],
  ])('with damaged content is refused by name: %s', async (_, sql) => {
    const file = newFile();
    const webhook = { id: 1, label: 'a', url: 'https://example.com/', subscriptions: [], secret: 's', createdAt: '' };
    await using(fileStorage(file), ({ state, commit }) => {
      commit({ webhook: { ...webhook, updatedAt: '', failedCalls: 0 } });
      commit(oneEmitted(state, '[]'));
    });
    const database = new Database(file);
    database.exec(sql);
    database.close();
    await expect(fileStorage(file)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining(sql.startsWith('DROP') ? file : `${file} is damaged`),
    });
  });

  it('with a page that hides a row is refused as damaged', async () => {
    const file = newFile();
    await using(fileStorage(file), ({ commit }) => {
      const fixed = { url: 'https://example.com/', label: '', secret: 'a', subscriptions: [], failedCalls: 0 };
      for (const id of [1, 2]) commit({ webhook: { ...fixed, id, createdAt: '', updatedAt: '' } });
    });
    const database = new Database(file);
    const { rootpage } = database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'webhooks'`).get() as {
      rootpage: number;
    };
    database.close();
    const bytes = readFileSync(file);
    // The number of rows in the header of the page.
    const at = (rootpage - 1) * 4096 + 3;
    expect(bytes.readUInt16BE(at)).toBe(2);
    bytes.writeUInt16BE(1, at);
    writeFileSync(file, bytes);
    await expect(fileStorage(file)).rejects.toThrow(`${file} is damaged. Choose another file (SQLITE_CORRUPT).`);
  });
});
