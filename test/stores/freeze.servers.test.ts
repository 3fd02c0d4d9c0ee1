import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { redisStore } from '../../src/stores/redis/index.js';
import { fromBetterSqlite3, sqlStore } from '../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../contracts/store-helpers.js';
import { startHalfOpenProxy } from '../servers/half-open-proxy.js';
import { hasRedis, needsRedis, startRedis } from '../servers/redis.js';
import { connectIoRedis } from './redis/clients.js';

// A tenth of it is how long a claim may take: longer than the process takes to stop.
const leaseMs = 4000;
const program = fileURLToPath(new URL('freeze-child.mjs', import.meta.url));

async function startChild(engine: string, address: string) {
  const child = spawn(process.execPath, [program, engine, address, String(leaseMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Lets another replica take a stopped process's key over and record it, then wakes the process. Gives what that did. */
async function overtake(
  child: ChildProcess & { stdout: NodeJS.ReadableStream },
  other: IdempotencyStore,
  key: string,
  beforeItWakes = nothing,
) {
  await eventually(async () => expect(await other.once(key, nothing)).toBe('handled'), 2 * leaseMs);
  await beforeItWakes();
  child.kill('SIGCONT');
  const [line] = await once(child.stdout, 'data');
  expect(await other.once(key, failing)).toBe('duplicate');
  return JSON.parse(String(line));
}

const refused = { started: false, result: 'ERR_WEBHOOK_STORE' };

describe.skipIf(process.platform === 'win32')('a process that is stopped after its claim', () => {
  it.skipIf(!hasRedis).each(['ioredis', 'node-redis'])(
    `does not run if another process recorded the key while the answer of Redis waited in the socket of %s${needsRedis}`,
    async (engine) => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const proxy = await startHalfOpenProxy(server.port);
      onTestFinished(() => proxy.stop());
      const client = await connectIoRedis(server.url);
      const other = redisStore({ client, leaseMs });
      const child = await startChild(engine, `redis://127.0.0.1:${proxy.port}`);
      const key = unique();
      proxy.holdAnswers();
      child.stdin.write(`${key}\n`);
      await eventually(async () => expect(await client.exists(`webhook:${key}`)).toBe(1));
      expect(await overtake(child, other, key, () => proxy.releaseAnswers())).toEqual(refused);
    },
    30_000,
  );

  it('does not run if another process recorded the key while this one was stopped right after the SQLite commit', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'freeze-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, 'keys.db');
    const child = await startChild('sqlite', path);
    const database = new Database(path);
    onTestFinished(() => void database.close());
    const other = sqlStore({ db: fromBetterSqlite3(database), leaseMs });
    const key = unique();
    child.stdin.write(`${key}\n`);
    await eventually(async () => {
      const rows = database.prepare('SELECT done FROM webhook_idempotency_keys WHERE key = ?').all(key);
      expect(rows).toEqual([{ done: 0 }]);
    });
    expect(await overtake(child, other, key)).toEqual(refused);
  }, 30_000);
});
