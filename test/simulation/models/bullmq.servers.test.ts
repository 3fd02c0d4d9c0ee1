import { randomUUID } from 'node:crypto';
import { Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BullmqJobInsert } from '../../../src/queues/bullmq/index.js';
import { hasRedis, needsRedis, startRedis } from '../../servers/redis.js';
import type { TestServer } from '../../servers/server.js';
import { type BullmqJob, BullmqModel, type Moved, REFUSED } from './bullmq.js';
import { retryOf } from './bullmq-retry.js';

const LOCK_MS = 60_000;
const STALLED_MS = 50_000;
const MAX_STALLED = 1;
/** Long against the time that a run takes: the server's clock is moved by deleting what has expired. */
const passes = [1, 900, 1000, 2500, STALLED_MS + 1, LOCK_MS + 1, 120_000];
const ids = ['job-1', 'job-2', 'job-3'];

const operation = fc.oneof(
  fc.record({
    op: fc.constant('add' as const),
    jobs: fc.array(
      fc.record({
        id: fc.constantFrom(...ids),
        attempts: fc.integer({ min: 1, max: 3 }),
        backoffMs: fc.constantFrom(0, 1000),
        keepSeconds: fc.constantFrom<(number | false)[]>(false, 3),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { arbitrary: fc.record({ op: fc.constant('fetch' as const) }), weight: 3 },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('settle' as const),
      which: fc.nat({ max: 4 }),
      how: fc.constantFrom('complete', 'complete', 'complete', 'fail', 'give up', 'delay', 'put back'),
      fetchesNext: fc.boolean(),
    }),
  },
  fc.record({ op: fc.constant('extend' as const), which: fc.nat({ max: 4 }) }),
  fc.record({ op: fc.constant('check for stalled jobs' as const) }),
  fc.record({ op: fc.constant('pass' as const), ms: fc.constantFrom(...passes) }),
  fc.record({ op: fc.constant('set the clock of the clients' as const), ms: fc.constantFrom(-3000, 3000) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What BullMQ has but does not declare. */
interface Inside {
  readonly blockUntil: number;
  readonly backend: { moveStalledJobsToWait(): Promise<string[]> };
  extendJobLocks(ids: string[], tokens: string[], ms: number): Promise<string[]>;
}

/** A queue of BullMQ and the model, which get the same operations at the same time by their clocks. */
class Both {
  readonly model = new BullmqModel();
  readonly held: { readonly real: Job; readonly model: BullmqJob; readonly token: string }[] = [];
  readonly #name = `q${randomUUID()}`;
  readonly #queue: Queue;
  readonly #worker: Worker;
  readonly #redis: Redis;
  /** Of the server. */
  #now = Date.now();
  #skew = 0;
  #tokens = 0;

  constructor(url: string, redis: Redis) {
    this.#redis = redis;
    this.#queue = new Queue(this.#name, { connection: { url } });
    this.#worker = new Worker(this.#name, null, {
      ...{ connection: { url, maxRetriesPerRequest: null }, autorun: false },
      ...{ lockDuration: LOCK_MS, stalledInterval: STALLED_MS, maxStalledCount: MAX_STALLED },
    });
  }

  get #timestamp(): number {
    return this.#now + this.#skew;
  }

  /** Does it to both. Returns both answers. */
  async do(operation: Operation): Promise<readonly [real: unknown, model: unknown]> {
    vi.setSystemTime(this.#timestamp);
    const inside = this.#worker as unknown as Inside;
    if (operation.op === 'add') {
      const inserts = operation.jobs.map<BullmqJobInsert>(({ id, attempts, backoffMs, keepSeconds }) => ({
        name: 'event',
        data: { json: id },
        opts: {
          ...{ jobId: id, attempts, backoff: { type: 'exponential', delay: backoffMs } },
          ...{ removeOnComplete: keepSeconds === false ? false : { age: keepSeconds }, removeOnFail: false },
        },
      }));
      const added = await this.#queue.addBulk(inserts);
      return [added.map(({ id }) => ({ id })), this.model.addBulk(inserts)];
    }
    if (operation.op === 'fetch') {
      const token = `token ${this.#tokens++}`;
      const real = await this.#worker.getNextJob(token, { block: false });
      const { job, dueAt = 0 } = this.model.moveToActive({ token, lockMs: LOCK_MS }, this.#timestamp, this.#now);
      this.#hold(real, job, token);
      return [real?.id ?? inside.blockUntil, job?.id ?? dueAt];
    }
    if (operation.op === 'check for stalled jobs') {
      const real = await inside.backend.moveStalledJobsToWait();
      const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => real.indexOf(a) - real.indexOf(b));
      return [real, this.model.moveStalledJobsToWait(MAX_STALLED, STALLED_MS, this.#now, inOrder)];
    }
    if (operation.op === 'pass') await this.#pass(operation.ms);
    if (operation.op === 'set the clock of the clients') this.#skew += operation.ms;
    if (operation.op === 'settle' || operation.op === 'extend') {
      const held = this.held.at(-1 - (operation.which % Math.max(1, this.held.length)));
      if (held === undefined) return [undefined, undefined];
      const { id } = held.model;
      if (operation.op === 'extend') {
        const real = await inside.extendJobLocks([id], [held.token], LOCK_MS);
        return [real, this.model.extendLocks([id], [held.token], LOCK_MS, this.#now)];
      }
      return this.#settle(held, operation.how, operation.fetchesNext);
    }
    return [undefined, undefined];
  }

  async #settle({ real, model: job, token }: Both['held'][number], how: string, fetchesNext: boolean) {
    const [timestamp, now] = [this.#timestamp, this.#now];
    const next = fetchesNext ? { token, lockMs: LOCK_MS } : undefined;
    let result: Promise<unknown>;
    let model: Moved;
    if (how === 'complete') {
      result = real.moveToCompleted('done', token, fetchesNext);
      model = this.model.moveToCompleted(job.id, token, timestamp, now, next);
    } else if (how === 'delay') {
      result = real.moveToDelayed(timestamp + 2000, token);
      model = this.model.moveToDelayed(job.id, token, { delayMs: 2000 }, timestamp, now);
    } else if (how === 'put back') {
      result = real.moveToWait(token);
      model = { code: this.model.moveFromActiveToWait(job.id, token, now) };
    } else {
      const error = how === 'give up' ? new UnrecoverableError('never') : new Error('boom');
      const retry = retryOf({ ...job, attemptsMade: real.attemptsMade }, error.name);
      result = real.moveToFailed(error, token, fetchesNext);
      if (retry.how === 'failed') model = this.model.moveToFailed(job.id, token, error.message, timestamp, now, next);
      else if (retry.how === 'retry')
        model = { code: this.model.retryJob(job.id, token, error.message, timestamp, now) };
      else {
        const delay = { delayMs: retry.delayMs, reason: error.message };
        model = this.model.moveToDelayed(job.id, token, delay, timestamp, now, next);
      }
    }
    let answer: unknown;
    try {
      answer = await result;
    } catch (error) {
      return [Reflect.get(Object(error), 'code'), model.code] as const;
    }
    if (!Array.isArray(answer)) return [0, model.code] as const;
    const [data, nextId, , dueAt] = answer;
    if (data) this.#hold(Job.fromJSON(this.#worker, data, nextId), model.job, token);
    return [
      [nextId || undefined, dueAt || undefined],
      [model.job?.id, model.dueAt],
    ] as const;
  }

  #hold(real: Job | undefined, model: BullmqJob | undefined, token: string): void {
    if (real && model) this.held.push({ real, model, token });
  }

  /** Lets time pass on the server too: what expires there is deleted. */
  async #pass(ms: number): Promise<void> {
    const before = this.model.locks(this.#now);
    this.#now += ms;
    const after = this.model.locks(this.#now);
    const expired = [...before.keys()].filter((id) => !after.has(id)).map((id) => `${id}:lock`);
    if (ms > STALLED_MS) await this.#redis.del(this.#key('stalled-check'));
    if (expired.length > 0)
      expect(await this.#redis.del(...expired.map((each) => this.#key(each)))).toBe(expired.length);
  }

  #key(name: string): string {
    return `bull:${this.#name}:${name}`;
  }

  /** What both have stored. */
  async states(): Promise<readonly [real: unknown, model: unknown]> {
    const redis = this.#redis;
    const [waiting, active, delayed, completed, failed] = await Promise.all([
      redis.lrange(this.#key('wait'), 0, -1),
      redis.lrange(this.#key('active'), 0, -1),
      ...['delayed', 'completed', 'failed'].map((each) => redis.zrange(this.#key(each), 0, -1)),
    ]);
    const jobs = ids.map(async (id) => {
      const [attemptsMade, attemptsStarted, stalledCount, reason, deferred, data] = await redis.hmget(
        ...([this.#key(id), 'atm', 'ats', 'stc', 'failedReason', 'defa', 'data'] as const),
      );
      if (data == null) return undefined;
      return {
        ...{ attemptsMade: Number(attemptsMade ?? 0), attemptsStarted: Number(attemptsStarted ?? 0), data },
        ...{ stalledCount: Number(stalledCount ?? 0), failedReason: reason ?? undefined },
        ...{ deferredFailure: deferred ?? undefined, lock: (await redis.get(this.#key(`${id}:lock`))) ?? undefined },
      };
    });
    const locks = this.model.locks(this.#now);
    const ofModel = ids.map((id) => {
      const job = this.model.job(id);
      if (job === undefined) return undefined;
      const { attemptsMade, attemptsStarted, stalledCount, failedReason, deferredFailure, data } = job;
      return { attemptsMade, attemptsStarted, data, stalledCount, failedReason, deferredFailure, lock: locks.get(id) };
    });
    const lists = { waiting: waiting?.reverse(), active: active?.reverse(), delayed, completed, failed };
    return [
      { ...lists, jobs: await Promise.all(jobs) },
      { ...this.model.lists(), jobs: ofModel },
    ];
  }

  async close(): Promise<void> {
    await this.#worker.close();
    await this.#queue.close();
  }
}

describe.skipIf(!hasRedis)(`the BullMQ model${needsRedis}`, () => {
  let server: TestServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  }, 60_000);
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('answers and stores what BullMQ does, whatever the order of operations', async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 60, size: 'max' }), async (operations) => {
        const both = new Both(server.url, redis);
        try {
          for (const each of operations) {
            const [real, model] = await both.do(each);
            expect(model, JSON.stringify(each)).toEqual(real);
            const [stored, modelled] = await both.states();
            expect(modelled, JSON.stringify(each)).toEqual(stored);
            const what = `${each.op} ${'how' in each ? each.how : ''}: ${typeof model === 'number' && model < 0 ? model : 'done'}`;
            counts.set(what, (counts.get(what) ?? 0) + 1);
          }
        } finally {
          await both.close();
        }
      }),
      { seed: 11, numRuns: 150, endOnFailure: true },
    );
    const met = Object.values(REFUSED).filter((code) => [...counts.keys()].some((what) => what.endsWith(`: ${code}`)));
    expect(met, 'every refusal has been met').toEqual(Object.values(REFUSED));
  }, 120_000);

  it('refuses what it does not know', () => {
    const opts = {
      jobId: 'job-1',
      attempts: 1,
      backoff: { type: 'exponential', delay: 0 },
      removeOnComplete: false as const,
    };
    const insert = (more: object) => () =>
      new BullmqModel().addBulk([
        { name: 'event', data: { json: '' }, opts: { ...opts, removeOnFail: false, ...more } },
      ]);
    expect(insert({ delay: 5 })).toThrow('The BullMQ model does not know the job option delay.');
    expect(insert({ backoff: { type: 'fixed', delay: 5 } })).toThrow(
      'The BullMQ model does not know the backoff fixed.',
    );
  });
});
