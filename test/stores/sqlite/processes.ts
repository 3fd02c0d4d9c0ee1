import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'libsql';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { sqliteStore } from '../../../src/stores/sqlite/index.js';
import { failing, nothing } from '../../contracts/store-helpers.js';

const child = fileURLToPath(new URL('sqlite-child.mjs', import.meta.url));

function connect(path: string) {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  return database;
}

/** What several processes of a runtime do with one file, through the driver that they use there. */
export function describeProcesses(title: string, command: string, driver: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'sqlite-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  describe(`sqliteStore with ${title}, several processes on one file`, () => {
    it('runs every key once among four processes at the same time', async () => {
      const path = join(directory, `${driver.replace(':', '-')}.db`);
      const race = () => promisify(execFile)(command, [child, driver, path, 'race', '300']);
      const outputs = await Promise.all([race(), race(), race(), race()]);
      const results = outputs.map(({ stdout }) => JSON.parse(stdout) as { ran: string[]; duplicates: number });
      const ran = results.flatMap((result) => result.ran);
      expect(ran).toHaveLength(300);
      expect(new Set(ran).size).toBe(300);
      for (const { ran, duplicates } of results) expect(duplicates).toBe(ran.length);
    }, 60_000);

    it('has a killed process taken over from when its lease is over, and not before', async () => {
      const path = join(directory, `${driver.replace(':', '-')}-kill.db`);
      const holder = spawn(command, [child, driver, path, 'hold', 'the-key'], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(holder.stdout, 'data');
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      let now = Date.now();
      const store = sqliteStore({ database: connect(path), now: () => now });
      expect(await store.once('the-key', failing)).toBe('in-progress');
      now += 60_001;
      expect(await store.once('the-key', nothing)).toBe('handled');
      expect(await store.once('the-key', failing)).toBe('duplicate');
    }, 30_000);
  });
}
