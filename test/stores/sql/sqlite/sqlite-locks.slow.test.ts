import { type ChildProcess, spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@libsql/client';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromBetterSqlite3, fromLibsql, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { once } from '../../calls.js';
import { useDirectory } from './file.js';

const path = useDirectory();

/** Another process that has the write lock of a file. */
async function lockFile(file: string): Promise<ChildProcess> {
  const script = `const db = new (require('libsql'))(process.argv[1]); db.exec('BEGIN IMMEDIATE'); console.log('locked'); process.stdin.on('data', () => { db.exec('COMMIT'); process.exit(); });`;
  const child = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await event(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

/** The longest time for which a timer was held up, in ms. */
function watchLoop(): () => number {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  onTestFinished(() => clearInterval(timer));
  return () => longest;
}

const OPENERS = {
  fromBetterSqlite3(file: string) {
    const db = new Database(file, { timeout: 5000 });
    onTestFinished(() => void db.close());
    return { db: fromBetterSqlite3(db), exec: async (text: string) => void db.exec(text) };
  },
  fromLibsql(file: string) {
    const client = createClient({ url: `file:${file}` });
    onTestFinished(() => client.close());
    return { db: fromLibsql(client), exec: (text: string) => client.executeMultiple(text) };
  },
} as const;

/** A handler without effect, which a synchronous transaction ends in its turn. */
const handle = (store: object, key: string) => once(store, key, () => {});

describe.each(['fromBetterSqlite3', 'fromLibsql'] as const)('%s', (name) => {
  describe.each(['delete', 'wal'])('with the journal mode %s', (mode) => {
    async function open(settings: object = {}) {
      const file = path(unique());
      const { db, exec } = OPENERS[name](file);
      if (name === 'fromLibsql') await exec(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 5000`);
      else (db as ReturnType<typeof fromBetterSqlite3>).runNow(`PRAGMA journal_mode = ${mode}`);
      const options = { db, ...settings } as { db: typeof db };
      const stores = [sqlStore(options as never), sqlStore({ ...options, transactional: true } as never)] as const;
      await stores[0].migrate();
      return { file, exec, stores: stores };
    }

    it('waits for another process without blocking this one, whatever the busy timeout', async () => {
      const { file, stores } = await open({ timeoutMs: 10_000, leaseMs: 600_000 });
      for (const store of stores) {
        const holder = await lockFile(file);
        const longest = watchLoop();
        const waiting = handle(store, unique());
        await sleep(400);
        holder.stdin?.write('free');
        expect(await waiting).toBe('handled');
        expect(longest()).toBeLessThan(300);
      }
    }, 20_000);

    it('fails without a run if the file stays locked beyond timeoutMs, and works once it is free', async () => {
      const { file, stores } = await open({ timeoutMs: 100 });
      for (const store of stores) {
        const [holder, key] = [await lockFile(file), unique()];
        await expect(once(store, key, failing)).rejects.not.toThrow('the run failed');
        holder.kill('SIGKILL');
        await event(holder, 'exit');
        await eventually(async () => expect(await handle(store, key)).toBe('handled'));
        expect(await once(store, key, failing)).toBe('duplicate');
      }
    }, 20_000);

    it('commits while another process reads, or as soon as it has read', async () => {
      const { file, stores } = await open({ timeoutMs: 10_000, leaseMs: 600_000 });
      const reader = new Database(file);
      onTestFinished(() => void reader.close());
      for (const store of stores) {
        await handle(store, unique());
        const key = unique();
        reader.exec('BEGIN');
        reader.exec('SELECT * FROM webhook_idempotency_keys');
        const waiting = handle(store, key);
        await sleep(100);
        reader.exec('COMMIT');
        expect(await waiting).toBe('handled');
        expect(await once(store, key, failing)).toBe('duplicate');
      }
    });
  });
});

describe('fromLibsql', () => {
  it('refuses transactions in memory by name', async () => {
    const client = createClient({ url: ':memory:' });
    const store = sqlStore({ db: fromLibsql(client), transactional: true });
    await expect(once(store, unique(), failing)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: expect.stringContaining('fromBetterSqlite3'),
    });
  });

  it.each(['commit', 'rollback', 'close'] as const)('refuses by name a handler that calls tx.%s()', async (method) => {
    const client = createClient({ url: `file:${path(unique())}` });
    onTestFinished(() => client.close());
    const store = sqlStore({ db: fromLibsql(client), transactional: true });
    await store.migrate();
    const key = unique();
    await expect(once(store, key, async (tx) => tx[method]())).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN',
      message: expect.stringContaining('ended the transaction'),
    });
    expect(await once(store, key, nothing)).toBe('unknown');
  });
});
