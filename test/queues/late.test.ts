import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bullmqProcessor } from '../../src/queues/bullmq/index.js';
import type { JobOptions, OnEvent } from '../../src/queues/job.js';
import { pgBossWorker } from '../../src/queues/pg-boss/index.js';
import { deferred, event } from '../helpers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const dataOf = (key: string) => ({ event: event(key), idempotencyKey: key, timestamp: '1700000000' });

/** A try of the job of a key, on either engine. */
const workers = {
  bullmqProcessor(onEvent: OnEvent<undefined>, options: JobOptions) {
    const processor = bullmqProcessor(onEvent, options);
    return (key: string) => processor({ data: dataOf(key) });
  },
  pgBossWorker(onEvent: OnEvent<undefined>, options: JobOptions) {
    const worker = pgBossWorker(onEvent, options);
    return (key: string) => worker([{ id: key, name: 'q', data: dataOf(key), expireInSeconds: 900 }]);
  },
};

describe.each(Object.keys(workers) as (keyof typeof workers)[])('%s without a store', (name) => {
  function running(options: JobOptions = {}) {
    const ends: ReturnType<typeof deferred<void>>[] = [];
    const keys: string[] = [];
    const tryJob = workers[name]((_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      const end = deferred();
      ends.push(end);
      return end.promise;
    }, options);
    return { tryJob, ends, keys };
  }
  const timedOut = /took (more|longer) than 30000 ms/;

  it.each(['resolves', 'rejects'])('does not start a key again until its late handler %s', async (how) => {
    const { tryJob, ends, keys } = running();
    const first = expect(tryJob('a')).rejects.toThrow(timedOut);
    await vi.advanceTimersByTimeAsync(30_000);
    await first;
    for (let tries = 0; tries < 3; tries++) await expect(tryJob('a')).rejects.toThrow('being handled');
    const other = tryJob('b');
    ends[1]?.resolve();
    await other;
    if (how === 'resolves') ends[0]?.resolve();
    else ends[0]?.reject(new Error('late failure'));
    await vi.advanceTimersByTimeAsync(0);
    const again = tryJob('a');
    ends[2]?.resolve();
    await again;
    expect(keys).toEqual(['a', 'b', 'a']);
  });

  it('does not run a job that the engine gives out again while its handler runs', async () => {
    const { tryJob, ends, keys } = running();
    const first = tryJob('a');
    await expect(tryJob('a')).rejects.toThrow('being handled');
    ends[0]?.resolve();
    await first;
    expect(keys).toEqual(['a']);
  });

  it.each([
    [10, 60_000],
    [45_000, 90_000],
  ])('takes a handler of %i ms for hung after %i ms', async (handlerTimeoutMs, holdMs) => {
    const { tryJob, ends, keys } = running({ handlerTimeoutMs });
    const first = expect(tryJob('a')).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(holdMs - 1);
    await first;
    await expect(tryJob('a')).rejects.toThrow('being handled');
    await vi.advanceTimersByTimeAsync(1);
    const second = tryJob('a');
    // The first one comes back at last: the key is the second one's.
    ends[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    await expect(tryJob('a')).rejects.toThrow('being handled');
    ends[1]?.resolve();
    await second;
    expect(keys).toEqual(['a', 'a']);
  });

  it('remembers nothing of what is over', async () => {
    const { tryJob, ends, keys } = running();
    const first = expect(tryJob('a')).rejects.toThrow('boom');
    ends[0]?.reject(new Error('boom'));
    await first;
    for (const index of [1, 2]) {
      const next = tryJob('a');
      ends[index]?.resolve();
      await next;
    }
    expect(keys).toEqual(['a', 'a', 'a']);
  });
});

describe.each(Object.keys(workers) as (keyof typeof workers)[])('onError of %s', (name) => {
  it.each([
    ['resolves', async () => {}],
    ['throws', () => Promise.reject(new Error('of onError'))],
  ])('is told of a store that fails when a late handler has succeeded (it %s)', async (_, end) => {
    const told: unknown[] = [];
    const down = new Error('the store is down');
    const tryJob = workers[name](() => new Promise((resolve) => setTimeout(resolve, 15)), {
      handlerTimeoutMs: 10,
      store: {
        async once(_key, run) {
          await run(undefined);
          throw down;
        },
      },
      onError(error, context) {
        told.push(error, context);
        return end();
      },
    });
    const failed = expect(tryJob('a')).rejects.toThrow(/longer than 10 ms/);
    await vi.advanceTimersByTimeAsync(10);
    await failed;
    await vi.advanceTimersByTimeAsync(5);
    expect(told).toEqual([
      expect.objectContaining({ code: 'ERR_WEBHOOK_STORE', cause: down }),
      { idempotencyKey: 'a' },
    ]);
  });

  it('must be a function', () => {
    const options = { onError: 'console.error' };
    expect(() => Reflect.apply(workers[name], undefined, [() => {}, options])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }),
    );
  });
});
