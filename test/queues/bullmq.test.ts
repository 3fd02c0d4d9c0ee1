import { RATE_LIMIT_ERROR, UnrecoverableError, Worker } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError, isWebhookError } from '../../src/index.js';
import {
  type BullmqJobInsert,
  bullmqEnqueue,
  bullmqProcessor,
  bullmqWorkerOptions,
} from '../../src/queues/bullmq/index.js';
import { event } from '../helpers.js';

const weekSeconds = 7 * 86_400;

/** A queue that notes what it is given and says, unless told otherwise, that all of it is stored. */
function queueWith(defaultJobOptions: object = {}, idOf = (job: BullmqJobInsert): string => job.opts.jobId) {
  const calls: BullmqJobInsert[][] = [];
  return {
    calls,
    defaultJobOptions,
    async addBulk(jobs: BullmqJobInsert[]) {
      calls.push(jobs);
      return jobs.map((job) => ({ id: idOf(job) }));
    },
  };
}
const context = (...idempotencyKeys: string[]) => ({
  idempotencyKeys,
  timestamp: '1700000000',
  signal: new AbortController().signal,
});

describe('bullmqEnqueue', () => {
  it('adds all events at once, to be tried again, remembered, and kept when they fail', async () => {
    const queue = queueWith();
    const events = [event('a1'), event('b:1')];
    await bullmqEnqueue(queue)(events, context('a1', 'b:1'));
    const opts = {
      attempts: 15,
      backoff: { type: 'exponential', delay: 1000 },
      removeOnComplete: { age: weekSeconds },
      removeOnFail: false,
    };
    expect(queue.calls).toEqual([
      [
        {
          name: 'event.emitted',
          data: { event: events[0], idempotencyKey: 'a1', timestamp: '1700000000' },
          opts: { ...opts, jobId: 'a1' },
        },
        {
          name: 'event.emitted',
          data: { event: events[1], idempotencyKey: 'b:1', timestamp: '1700000000' },
          opts: { ...opts, jobId: expect.stringMatching(/^sha256-/) },
        },
      ],
    ]);
  });

  it('takes a queue that says nothing of default options', async () => {
    const { calls, addBulk } = queueWith();
    await bullmqEnqueue({ addBulk })([event('a1')], context('a1'));
    expect(calls[0]?.[0]?.opts).toMatchObject({ jobId: 'a1', removeOnComplete: { age: weekSeconds } });
  });

  it('leaves the queue alone when there is nothing to store', async () => {
    const queue = queueWith();
    await bullmqEnqueue(queue)([], context());
    expect(queue.calls).toEqual([]);
  });

  it('rejects when the engine kept another job in the place of one', async () => {
    const queue = queueWith({}, ({ opts }) => (opts.jobId === 'b1' ? 'other' : opts.jobId));
    await expect(bullmqEnqueue(queue)([event('a1'), event('b1')], context('a1', 'b1'))).rejects.toThrow('1 of 2');
  });

  it('rejects when an event has no key', async () => {
    const queue = queueWith();
    await expect(bullmqEnqueue(queue)([event('a1'), event('b1')], context('a1'))).rejects.toThrow(TypeError);
    expect(queue.calls).toEqual([]);
  });

  it.each([
    { deduplication: { id: 'x' } },
    { debounce: { id: 'x', ttl: 1 } },
    { jobId: 'x' },
    { repeat: { every: 1 } },
    { parent: { id: 'x', queue: 'y' } },
    { removeOnComplete: true },
    { removeOnComplete: 100 },
    { removeOnComplete: { count: 100 } },
    { removeOnComplete: { age: weekSeconds, count: 100 } },
    { removeOnComplete: { age: weekSeconds - 1 } },
    { removeOnFail: true },
    { removeOnFail: 0 },
    { removeOnFail: { age: 10 * weekSeconds } },
  ])('refuses a queue whose default options drop or forget events, and says what to change (%o)', (defaults) => {
    const [name = ''] = Object.keys(defaults);
    const create = () => bullmqEnqueue(queueWith(defaults));
    expect(create).toThrow(ConfigError);
    expect(create).toThrow(new RegExp(`defaultJobOptions\\.${name} .*leave it out`));
  });

  it.each([
    [{}, { age: weekSeconds }],
    [{ removeOnComplete: false }, false],
    [{ removeOnComplete: { age: 2 * weekSeconds } }, { age: 2 * weekSeconds }],
    [{ removeOnFail: false, priority: 3, lifo: true, attempts: 3 }, { age: weekSeconds }],
  ])('remembers events for as long as the queue does, and not less than retentionMs (%o)', async (defaults, kept) => {
    const queue = queueWith(defaults);
    await bullmqEnqueue(queue)([event('a1')], context('a1'));
    expect(queue.calls[0]?.[0]?.opts.removeOnComplete).toEqual(kept);
  });

  it('refuses what is no queue', () => {
    expect(() => Reflect.apply(bullmqEnqueue, undefined, [undefined])).toThrow(ConfigError);
    expect(() => Reflect.apply(bullmqEnqueue, undefined, [{}])).toThrow(ConfigError);
  });
});

describe('bullmqProcessor', () => {
  const data = { event: event('a1'), idempotencyKey: 'a1', timestamp: '1700000000' };

  it('gives the handler the event, its key, the timestamp and a signal', async () => {
    const seen: unknown[] = [];
    await bullmqProcessor((each, { idempotencyKey, timestamp, signal, tx }) => {
      seen.push(each, idempotencyKey, timestamp, signal.aborted, tx);
    })({ data });
    expect(seen).toEqual([data.event, 'a1', '1700000000', false, undefined]);
  });

  it('has the engine try again what a handler or the store failed at, whatever the error calls itself', async () => {
    const delayed = Object.assign(new Error('later'), { name: 'DelayedError' });
    const failures = [bullmqProcessor(() => Promise.reject(delayed)), bullmqProcessor(() => {}, { store: failing })];
    for (const processor of failures) {
      const error = await processor({ data }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'Error' });
      expect(isWebhookError(Object(error).cause)).toBe(true);
    }
  });

  it('has the engine try again what somebody else is at', async () => {
    const processor = bullmqProcessor(() => {}, { store: { once: async () => 'in-progress' } });
    await expect(processor({ data })).rejects.toMatchObject({ cause: { code: 'ERR_WEBHOOK_IN_PROGRESS' } });
  });

  it('stops a handler that takes longer than handlerTimeoutMs', async () => {
    const reasons: unknown[] = [];
    const processor = bullmqProcessor(
      (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason))),
      { handlerTimeoutMs: 5 },
    );
    await expect(processor({ data })).rejects.toMatchObject({ cause: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(reasons).toMatchObject([{ code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' }]);
  });

  it('has the engine give up what the handler calls unrecoverable, and what is no event job', async () => {
    const unrecoverable = Object.assign(new Error('never'), { name: 'UnrecoverableError' });
    const processor = bullmqProcessor(() => Promise.reject(unrecoverable));
    await expect(processor({ data })).rejects.toMatchObject({ name: 'UnrecoverableError' });
    await expect(processor({ data: undefined })).rejects.toMatchObject({ name: 'UnrecoverableError' });
  });

  it('has the engine know what BullMQ throws for its own ends', async () => {
    class Fatal extends UnrecoverableError {}
    const processor = (thrown: Error) => bullmqProcessor(() => Promise.reject(thrown))({ data });
    await expect(processor(new Fatal('never'))).rejects.toMatchObject({ name: 'UnrecoverableError' });
    await expect(processor(Worker.RateLimitError())).rejects.toMatchObject({ message: RATE_LIMIT_ERROR });
  });

  it.each([
    { skipStalledCheck: true },
    { skipLockRenewal: true, lockDuration: 60_000 },
    { lockRenewTime: 30_000 },
    { lockRenewTime: 40_000, lockDuration: 30_000 },
  ])(
    'refuses to run under options of a worker that lose or repeat events, and says what to change (%o)',
    async (given) => {
      let runs = 0;
      const queue = { opts: { ...bullmqWorkerOptions, lockRenewTime: 15_000, ...given } };
      const processor = bullmqProcessor(() => void runs++);
      for (let tries = 0; tries < 2; tries++) {
        const error = await processor(Object.assign({ data }, { queue })).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ConfigError);
        expect(error).toMatchObject({
          message: expect.stringContaining(`Option ${Object.keys(given)[0]} of the BullMQ`),
        });
      }
      expect(runs).toBe(0);
    },
  );

  it.each([
    [bullmqWorkerOptions, 0],
    [{ ...bullmqWorkerOptions, skipLockRenewal: true, lockDuration: 60_001 }, 0],
    [{ ...bullmqWorkerOptions, maxStalledCount: 10 }, 0],
    [{ ...bullmqWorkerOptions, maxStalledCount: 9 }, 1],
    [{ ...bullmqWorkerOptions, maxStalledCount: 0 }, 1],
    [{ ...bullmqWorkerOptions, maxStartedAttempts: 3 }, 1],
    [{ ...bullmqWorkerOptions, maxStartedAttempts: 50 }, 0],
    [undefined, 0],
    ['odd', 0],
  ])('warns once of a worker that gives up after few deaths (%o: %i)', async (opts, warnings) => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => emit.mockRestore());
    let runs = 0;
    const processor = bullmqProcessor(() => void runs++);
    for (const queue of [{ opts }, { opts }, undefined]) await processor(Object.assign({ data }, { queue }));
    expect(runs).toBe(3);
    expect(emit).toHaveBeenCalledTimes(warnings);
  });

  const failing = { once: () => Promise.reject(new Error('the store is down')) };
});
