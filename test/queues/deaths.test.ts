import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { bullmqWorker, bullmqWorkerOptions } from '../../src/queues/bullmq/index.js';
import { enqueue, one, untilKilled } from '../contracts/enqueue-helpers.js';
import { eventually } from '../contracts/store-helpers.js';
import { hasPostgres, startPostgres } from '../servers/postgres.js';
import { hasRedis, needsRedis, startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { engines, redisConnection } from './engines.js';
import { type FileTransaction, fileStore } from './worker-process.js';

const targets = [
  { open: 'openBullmqRedis', start: startRedis, has: hasRedis },
  { open: 'openBullmqPostgres', start: startPostgres, has: hasPostgres },
  { open: 'openPgBoss', start: startPostgres, has: hasPostgres },
] as const;

describe.each(targets)('an event whose workers are killed ($open)', ({ open, start, has }) => {
  let server: TestServer;
  beforeAll(async () => {
    if (has) server = await start();
  }, 60_000);
  afterAll(() => server?.stop());

  it.skipIf(!has)(
    'repeatedly while they handle it takes effect, and does not become a dead letter',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'deaths-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const name = `q${randomUUID()}`;
      const queue = await engines[open](server.url, name, { backoffMs: 0 });
      onTestFinished(() => queue.close());
      const each = one();
      await enqueue(queue, [each]);
      const ticking = setInterval(() => void queue.tick(), 200);
      onTestFinished(() => clearInterval(ticking));

      for (let deaths = 0; deaths < 3; deaths++) {
        await untilKilled({ open, url: server.url, queue: name, directory, hangs: 'before' });
      }
      const onEvent = ({ id }: WebhookEvent, { tx }: { tx: FileTransaction }) => tx.effect(id);
      await queue.work<FileTransaction>(onEvent, { store: fileStore(directory) });
      await eventually(async () => expect(await queue.pending()).toBe(0), 20_000);
      expect(await readFile(join(directory, each.id), 'utf8')).toBe(each.id);
      expect(await queue.deadLetters()).toEqual([]);
    },
    60_000,
  );
});

describe.skipIf(!hasRedis)(`the options of a BullMQ Worker${needsRedis}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  async function working(options: object) {
    const name = `q${randomUUID()}`;
    const queue = new Queue(name, { connection: redisConnection(server.url) });
    await queue.add('event', { event: one(), idempotencyKey: 'k', timestamp: '1700000000' });
    const connection = { url: server.url, maxRetriesPerRequest: null };
    const worker = new Worker(name, bullmqWorker({ onEvent: () => {} }), { ...options, connection });
    onTestFinished(async () => {
      await worker.close();
      await queue.close();
    });
    return new Promise<string>((resolve) => {
      worker.on('completed', () => resolve('completed'));
      worker.on('failed', (_, error) => resolve(error.message));
    });
  }

  it('are visible to the processor, which refuses those that lose events', async () => {
    expect(await working({ ...bullmqWorkerOptions, skipStalledCheck: true })).toContain('skipStalledCheck');
    expect(await working(bullmqWorkerOptions)).toBe('completed');
  });

  it('cause a warning if they are BullMQ’s defaults', async () => {
    const warned = once(process, 'warning');
    expect(await working({})).toBe('completed');
    const [warning] = await warned;
    expect(warning).toMatchObject({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('after 2 deaths') });
  });
});
