import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { fileStorage } from '../../src/service/storage.js';
import { directory, key, newFile, using } from './storages.js';

describe('the file of a local service', () => {
  it('is readable by its owner only, as are the files that SQLite keeps beside it', async () => {
    for (const before of [undefined, '', 'ours']) {
      const file = newFile();
      if (before !== undefined) writeFileSync(file, '', { mode: 0o666 });
      if (before === 'ours') await using(fileStorage(file), () => {});
      if (before !== undefined) chmodSync(file, 0o644);
      await using(fileStorage(file), ({ commit }) => {
        commit(key('a'));
        const beside = readdirSync(directory).filter((name) => name.startsWith(basename(file)));
        expect(beside.length).toBeGreaterThan(1);
        expect(beside.map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual(beside.map(() => 0o600));
      });
    }
  });

  it('may be a symbolic link', async () => {
    const [file, link] = [newFile(), newFile()];
    writeFileSync(file, '');
    symlinkSync(file, link);
    await using(fileStorage(link), ({ commit }) => commit(key('mine')));
    await using(fileStorage(file), ({ state }) => expect(state.key).toBe('mine'));
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

  it.each([
    ['a record', `UPDATE webhooks SET record = '{'`],
    ['a table', 'DROP TABLE deliveries'],
  ])('whose content is damaged (%s) is refused by name', async (_, sql) => {
    const file = newFile();
    const webhook = { id: 1, label: 'a', url: '', subscriptions: [], secret: 's', createdAt: '', updatedAt: '' };
    await using(fileStorage(file), ({ commit }) =>
      commit({ type: 'webhook', webhook: { ...webhook, failedCalls: 0 } }),
    );
    const database = new Database(file);
    database.exec(sql);
    database.close();
    await expect(fileStorage(file)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining(file),
    });
  });

  it('with overwritten pages is refused as damaged', async () => {
    const file = newFile();
    await using(fileStorage(file), ({ commit }) => commit(key('a')));
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(255, 4096));
    await expect(fileStorage(file)).rejects.toThrow(
      `\`file\`: ${file} is damaged. Choose another file (SQLITE_CORRUPT).`,
    );
  });

  it('in a missing directory, or that is a directory, is refused', async () => {
    await expect(fileStorage(join(directory, 'missing', 'file'))).rejects.toThrow(
      'cannot be opened or written (ENOENT)',
    );
    const folder = newFile();
    mkdirSync(folder);
    await expect(fileStorage(folder)).rejects.toThrow('it is a directory');
  });

  it('is for one service at a time', async () => {
    const file = newFile();
    await using(fileStorage(file), ({ commit }) => commit(key('mine')));
    const first = await fileStorage(file);
    for (let tries = 0; tries < 2; tries++) {
      await expect(fileStorage(file)).rejects.toThrow(`\`file\`: ${file} is in use by another local service.`);
    }
    first.commit(key('still mine'));
    first.close();
    await using(fileStorage(file), ({ state }) => expect(state.key).toBe('still mine'));
    expect(readdirSync(directory).filter((name) => name.startsWith(`${basename(file)}-`))).toEqual([]);
  });
});
