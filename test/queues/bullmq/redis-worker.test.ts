import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Queue, Worker } from 'bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finalityOf } from '../../../src/chain/finality/stage.js';
import { memoryStore } from '../../../src/index.js';
import { bullmqEnqueue, bullmqWorker, bullmqWorkerOptions } from '../../../src/queues/bullmq/index.js';
import { context, entriesOf, jobOf, one } from '../../contracts/enqueue-helpers.js';
import { event } from '../../helpers.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';
import { redisConnection } from '../engines.js';

const pending = finalityOf({ check: async () => [{ status: 'pending', retryAfterMs: 5000 }] });
const options = { onEvent: () => {}, store: memoryStore(), finality: pending };

describe('bullmqWorker with finality', () => {
  const data = jobOf(event('a'), 'a');

  it('moves the job to delayed with its token, and tells BullMQ so by the name of an error', async () => {
    const moved: [delay: number, token: unknown][] = [];
    const moveToDelayed = async (timestamp: number, token?: string) => moved.push([timestamp - Date.now(), token]);
    const processing = bullmqWorker(options)({ data, moveToDelayed }, 'token');
    await expect(processing).rejects.toMatchObject({ name: 'DelayedError' });
    expect(moved).toEqual([[expect.any(Number), 'token']]);
    expect(moved[0]?.[0]).toBeGreaterThan(4000);
    expect(moved[0]?.[0]).toBeLessThanOrEqual(5000);
  });

  it('fails the job if BullMQ cannot delay it', async () => {
    const moveToDelayed = () => Promise.reject(new Error('lost the lock'));
    await expect(bullmqWorker(options)({ data, moveToDelayed })).rejects.toMatchObject({ name: 'Error' });
    await expect(bullmqWorker(options)({ data })).rejects.toThrow('`moveToDelayed`');
  });

  it('refuses a worker with maxStartedAttempts, which counts waits', async () => {
    const queue = { opts: { ...bullmqWorkerOptions, maxStartedAttempts: 50 } };
    const given = Object.assign({ data, moveToDelayed: async () => {} }, { queue });
    await expect(bullmqWorker(options)(given)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining('`maxStartedAttempts`'),
    });
  });
});

describe.skipIf(!hasRedis)(`a Worker of BullMQ on Redis${needsRedis}`, () => {
  const server = useServer(startRedis);

  it('delays the job of a sandboxed processor without using up an attempt', { timeout: 30_000 }, async () => {
    const name = `q${randomUUID()}`;
    const queue = new Queue(name, { connection: redisConnection(server().url) });
    await bullmqEnqueue({ queue, attempts: 1 })(entriesOf([event('a1')]), context);
    const worker = new Worker(name, fileURLToPath(new URL('./sandboxed.ts', import.meta.url)), {
      ...bullmqWorkerOptions,
      connection: { url: server().url, maxRetriesPerRequest: null },
      workerForkOptions: { execArgv: ['--import', 'tsx'] },
    });
    onTestFinished(async () => {
      await worker.close();
      await queue.close();
    });
    const failed = once(worker, 'failed').then(([, error]) => Promise.reject(error));
    const [job] = await Promise.race([once(worker, 'completed'), failed]);
    expect(job).toMatchObject({ id: 'a1', attemptsMade: 1, attemptsStarted: 3 });
  });

  async function working(options: object) {
    const name = `q${randomUUID()}`;
    const queue = new Queue(name, { connection: redisConnection(server().url) });
    await queue.add('event', { event: one(), idempotencyKey: 'k', timestamp: '1700000000' });
    const connection = { url: server().url, maxRetriesPerRequest: null };
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

  it('shows its options to the processor, which refuses those that lose events', async () => {
    expect(await working({ ...bullmqWorkerOptions, skipStalledCheck: true })).toContain('skipStalledCheck');
    expect(await working(bullmqWorkerOptions)).toBe('completed');
  });

  it('causes a warning with the default options of BullMQ', async () => {
    const warned = once(process, 'warning');
    expect(await working({})).toBe('completed');
    const [warning] = await warned;
    expect(warning).toMatchObject({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('after 2 deaths') });
  });
});
