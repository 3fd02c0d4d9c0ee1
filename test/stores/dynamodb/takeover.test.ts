import { spawn } from 'node:child_process';
import { once as emitted } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually, failing, holdKey, nothing, unique } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { once } from '../calls.js';
import { hasDynamoDB, needsDynamoDB, type Tx, useMemory } from './server.js';

const MINUTE = 60_000;
const program = fileURLToPath(new URL('../../../examples/serverless/testing/dynamodb-child.mjs', import.meta.url));

/** Calls something on a machine whose clock is ahead. */
async function ahead<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const now = Date.now;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  try {
    return await call();
  } finally {
    spy.mockRestore();
  }
}

describe.skipIf(!hasDynamoDB)(
  `dynamodbStore, when another process takes over${needsDynamoDB}`,
  { timeout: 60_000 },
  () => {
    const { open, server } = useMemory();

    it('protects a lease from clocks that differ by less than clockSkewMs, and frees its key after that', async () => {
      const [store, other] = [open('DynamoDB').lease(), open('DynamoDB').lease()];
      const [key, gate] = [unique(), deferred()];
      const { result } = await holdKey(store, key, gate.promise);
      for (const ms of [0, 2 * MINUTE, 5 * MINUTE]) {
        expect([ms, await ahead(ms, () => once(other, key, failing))]).toEqual([ms, 'in-progress']);
      }
      expect(await ahead(6 * MINUTE + 1000, () => once(other, key, nothing))).toBe('handled');
      gate.resolve();
      await expect(result).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    });

    it('commits one effect however far the clocks differ, in a transaction', async () => {
      const [first, second] = [open('DynamoDB'), open('DynamoDB')];
      const [key, gate, running] = [unique(), deferred(), deferred()];
      const result = once(first.transactional(), key, async (tx) => {
        tx.write(first.add(key));
        running.resolve();
        await gate.promise;
      });
      await running.promise;
      const write = async (tx: Tx) => tx.write(second.add(key));
      expect(await ahead(60 * MINUTE, () => once(second.transactional(), key, write))).toBe('handled');
      gate.resolve();
      const lost = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('nothing of this run was committed') };
      await expect(result).rejects.toMatchObject(lost);
      expect(await first.count(key)).toBe(1);
    });

    it('keeps the item of a key for longer than its lease and its retention', async () => {
      const opened = open('DynamoDBDocument');
      const [key, gate] = [unique(), deferred()];
      const before = Date.now();
      const { result } = await holdKey(opened.lease({ leaseMs: 5000 }), key, gate.promise);
      const held = await opened.item(key);
      expect(held).toMatchObject({ key, owner: expect.any(String), done: false });
      expect(Number(held?.until)).toBeGreaterThanOrEqual(before + 5 * MINUTE + 5000);
      expect(Number(held?.expiresAt) * 1000).toBeGreaterThan(Number(held?.until));
      gate.resolve();
      await result;
      const done = await opened.item(key);
      expect(done).toMatchObject({ owner: held?.owner, done: true });
      expect(Number(done?.until)).toBeGreaterThanOrEqual(before + 7 * 24 * 60 * MINUTE);
      expect(Number(done?.expiresAt) * 1000).toBeGreaterThan(Number(done?.until));
    });

    const leaseMs = 4000;
    async function startChild(key: string) {
      const child = spawn(process.execPath, ['--no-warnings', program, server().url, String(leaseMs), key], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      expect(String((await emitted(child.stdout, 'data'))[0]).trim()).toBe('running');
      return child;
    }
    /** Handles the key as soon as it is free. */
    async function takeOver(key: string) {
      const opened = open('DynamoDB');
      const store = opened.transactional({ leaseMs });
      await opened.count('connects');
      expect(await once(store, key, failing)).toBe('in-progress');
      const write = async (tx: Tx) => tx.write(opened.add(key));
      await eventually(async () => expect(await once(store, key, write)).toBe('handled'), 4 * leaseMs);
      return { opened, store };
    }

    it('commits one effect if a process is killed between its claim and its commit', async () => {
      const key = unique();
      const child = await startChild(key);
      child.kill('SIGKILL');
      const { opened, store } = await takeOver(key);
      expect(await once(store, key, failing)).toBe('duplicate');
      expect(await opened.count(key)).toBe(1);
    });

    it('commits one effect if a process is frozen for longer than its lease', async () => {
      const key = unique();
      const child = await startChild(key);
      child.kill('SIGSTOP');
      const { opened } = await takeOver(key);
      child.kill('SIGCONT');
      child.stdin.write('continue\n');
      expect(String((await emitted(child.stdout, 'data'))[0]).trim()).toBe('ERR_WEBHOOK_STORE');
      expect(await opened.count(key)).toBe(1);
    });
  },
);
