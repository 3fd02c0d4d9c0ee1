import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BullmqJobInsert, BullmqJobLike } from '../../../src/queues/bullmq/index.js';
import { eventually } from '../../contracts/store-helpers.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import { BullmqEngine } from './bullmq-engine.js';
import { BullmqWorker } from './bullmq-worker.js';

const options = { concurrency: 2, lockDuration: 5000, stalledInterval: 2000, maxStalledCount: 100, drainDelayMs: 1000 };

/** How the tries of each job end; the last counts for all further tries. */
const endings: Readonly<Record<string, readonly string[]>> = {
  'completes-1': ['completes'],
  'fails-once-2': ['fails', 'completes'],
  'fails-3': ['fails'],
  'gives-up-4': ['fails', 'UnrecoverableError'],
  'waits-5': ['DelayedError', 'DelayedError', 'DelayedError', 'DelayedError', 'completes'],
  'waits-and-fails-6': ['DelayedError', 'fails', 'DelayedError', 'fails', 'DelayedError', 'fails'],
  'is-limited-7': ['limited', 'limited', 'limited', 'limited', 'completes'],
  'moves-and-resolves-8': ['moves', 'completes'],
};

function processorOf(clock: () => number) {
  const tries: Record<string, number> = {};
  async function processor(job: BullmqJobLike, token?: string): Promise<void> {
    const id = String(Reflect.get(job, 'id'));
    const number = (tries[id] ?? 0) + 1;
    tries[id] = number;
    const all = endings[id] ?? [];
    const end = all[number - 1] ?? all.at(-1) ?? '';
    if (end === 'DelayedError' || end === 'moves') await job.moveToDelayed?.(clock() + 20, token);
    if (end === 'limited') throw new Error('bullmq:rateLimitExceeded');
    if (end !== 'completes' && end !== 'moves') throw Object.assign(new Error(end), { name: end });
  }
  return { processor, tries };
}

const inserts = Object.keys(endings).map<BullmqJobInsert>((jobId) => ({
  ...{ name: 'event', data: { json: jobId } },
  opts: {
    ...{ jobId, attempts: 3, backoff: { type: 'exponential', delay: 10 } },
    ...{ removeOnComplete: false, removeOnFail: false },
  },
}));

async function simulated() {
  const world = new World(Choices.ofTape([]));
  const engine = new BullmqEngine(world.server('redis'));
  const process = world.process('app');
  const { processor, tries } = processorOf(() => process.wall());
  engine.run((model) => model.addBulk(inserts));
  process.start(() => new BullmqWorker(engine, process, processor, options).start());
  await world.run(() => world.now > 5000);
  return inserts.map(({ opts: { jobId } }) => {
    const { attemptsMade, attemptsStarted } = engine.model.job(jobId) ?? {};
    return { jobId, state: engine.model.stateOf(jobId), tries: tries[jobId], attemptsMade, attemptsStarted };
  });
}

describe.skipIf(!hasRedis)(`the simulated worker of BullMQ${needsRedis}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  }, 60_000);
  afterAll(() => server.stop());

  it('settles jobs as a Worker does, however their tries end', async () => {
    const name = `q${randomUUID()}`;
    const { processor, tries } = processorOf(Date.now);
    const queue = new Queue(name, { connection: { url: server.url } });
    await queue.addBulk(inserts);
    const connection = { url: server.url, maxRetriesPerRequest: null };
    const worker = new Worker(name, processor, { ...options, connection }).on('error', () => {});
    try {
      await eventually(async () => {
        const { completed = 0, failed = 0 } = await queue.getJobCounts();
        expect(completed + failed).toBe(inserts.length);
      }, 20_000);
      const real = await Promise.all(
        inserts.map(async ({ opts: { jobId } }) => {
          const job = await queue.getJob(jobId);
          const { attemptsMade, attemptsStarted } = job ?? {};
          return { jobId, state: await job?.getState(), tries: tries[jobId], attemptsMade, attemptsStarted };
        }),
      );
      expect(await simulated()).toEqual(real);
    } finally {
      await worker.close();
      await queue.close();
    }
  }, 60_000);
});
