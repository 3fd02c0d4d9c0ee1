import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FinalityVerdict, finalityOf } from '../../src/chain/finality/stage.js';
import { memoryStore } from '../../src/index.js';
import { bullmqWorker } from '../../src/queues/bullmq/index.js';
import { pgBossWorker } from '../../src/queues/pg-boss/index.js';
import type { EventWorkerOptions } from '../../src/queues/run-job.js';
import { deferred, event } from '../helpers.js';
import { DROPPED, FINAL, MOOT, REMOVED } from '../receiver/scripted-finality.js';
import type { OnEvent, WorkOptions } from './engines.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const unused = () => Promise.reject(new Error('not used'));
const idleBoss = { getQueue: unused, insert: unused, getJobById: unused, complete: unused };
const dataOf = (key: string, id = key) => ({ event: event(id), idempotencyKey: key, timestamp: '1700000000' });

/** A function that tries the job of a key, for each engine. */
const workers = {
  bullmqWorker(options: EventWorkerOptions) {
    const processor = bullmqWorker(options);
    return (key: string, id?: string) => processor({ data: dataOf(key, id) });
  },
  pgBossWorker(options: EventWorkerOptions) {
    const worker = pgBossWorker({ boss: idleBoss, ...options });
    return (key: string, id?: string) => worker([{ id: key, name: 'q', data: dataOf(key, id), expireInSeconds: 900 }]);
  },
};

describe.each(Object.keys(workers) as (keyof typeof workers)[])('%s without a store', (name) => {
  function running(options: WorkOptions = {}) {
    const ends: ReturnType<typeof deferred<void>>[] = [];
    const keys: string[] = [];
    const onEvent: OnEvent = (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      const end = deferred();
      ends.push(end);
      return end.promise;
    };
    const tryJob = workers[name]({ onEvent, ...options });
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

  it.each([
    [10, 60_000],
    [45_000, 90_000],
  ])('gives up on a handler with a timeout of %i ms after %i ms', async (handlerTimeoutMs, holdMs) => {
    const { tryJob, ends, keys } = running({ handlerTimeoutMs });
    const first = expect(tryJob('a')).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(holdMs - 1);
    await first;
    await expect(tryJob('a')).rejects.toThrow('being handled');
    await vi.advanceTimersByTimeAsync(1);
    const second = tryJob('a');
    // The first handler finally settles, but the key belongs to the second run.
    ends[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    await expect(tryJob('a')).rejects.toThrow('being handled');
    ends[1]?.resolve();
    await second;
    expect(keys).toEqual(['a', 'a']);
  });
});

describe.each(Object.keys(workers) as (keyof typeof workers)[])('onError of %s', (name) => {
  it.each([
    ['resolves', async () => {}],
    ['throws', () => Promise.reject(new Error('of onError'))],
  ])('gets the error of a store that fails after a late success (it %s)', async (_, end) => {
    const told: unknown[] = [];
    const down = new Error('the store is down');
    const tryJob = workers[name]({
      onEvent: () => new Promise((resolve) => setTimeout(resolve, 15)),
      handlerTimeoutMs: 10,
      store: {
        async once([key = ''], _step, run) {
          await run(new Map([[key, {}]]), undefined);
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
      { idempotencyKey: 'a', item: expect.objectContaining({ status: 'event' }) },
    ]);
  });
});

describe.each(Object.keys(workers) as (keyof typeof workers)[])('%s with finality', (name) => {
  const handled: string[] = [];
  const worker = (verdict: FinalityVerdict, onDropped = () => {}) =>
    workers[name]({
      onEvent: ({ id }) => handled.push(id),
      store: memoryStore(),
      finality: finalityOf({ onDropped, check: async (events) => events.map(() => verdict) }),
    });

  it('fails a job with the default idempotency key, and says what to set', async () => {
    for (const key of ['event.emitted:a', 'tenant%3A1::event.emitted:a'])
      await expect(worker(FINAL)(key, 'a')).rejects.toThrow('logIdentity(event, { chainId })');
    expect(handled).toEqual([]);
  });

  it('drops an event, and fails its job if onDropped fails', async () => {
    await worker(DROPPED)('a');
    const failing = () => {
      throw new Error('no row to delete');
    };
    await expect(worker(DROPPED, failing)('b')).rejects.toThrow('no row to delete');
    expect(handled).toEqual([]);
  });

  it('handles a notice of removal only if its log took effect', async () => {
    await worker(REMOVED)('a:removed');
    await worker(MOOT)('b:removed');
    expect(handled).toEqual([]);
  });
});

describe.each(Object.keys(workers) as (keyof typeof workers)[])('the options of %s', (name) => {
  const onEvent = () => {};
  it.each([
    [{}, '`onEvent` must be a function, got undefined.'],
    [{ onEvent, onError: 'console.error' }, '`onError` must be a function, got a string.'],
    [{ onEvent, store: { once: 'no function' } }, '`store` must be an IdempotencyStore or false, got an object.'],
    [
      { onEvent, handlerTimeoutMs: 0 },
      /^`handlerTimeoutMs` must be a number from 1 to \d+, got a number out of range\.$/,
    ],
    [{ onEvent, onevent: onEvent }, `\`${name}\` has no option \`onevent\`. Did you mean \`onEvent\`?`],
  ])('are refused as %o, with the reason', (options: object, message) => {
    expect(() => Reflect.apply(workers[name], undefined, [options])).toThrow(
      expect.objectContaining({
        code: 'ERR_WEBHOOK_CONFIG',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
  });
});
