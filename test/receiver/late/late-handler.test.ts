import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReceiver, type IdempotencyStore, memoryStore } from '../../../src/index.js';
import type { OnEventOptions } from '../../../src/receiver/options.js';
import { deferred, event, secret, signed } from '../../helpers.js';
import { onSteadyClock } from '../../steady-clock.js';
import { fakeBulkStore } from '../fake-bulk-store.js';

onSteadyClock();

/** A receiver whose handlers end when the test says so. */
function held(store: IdempotencyStore | undefined, options: Partial<OnEventOptions> = {}) {
  const ends: ReturnType<typeof deferred<void>>[] = [];
  const signals: AbortSignal[] = [];
  const reported: string[] = [];
  const counts = { running: 0, peak: 0 };
  const receiver = createReceiver({
    secret,
    toleranceSeconds: false,
    store,
    handlerTimeoutMs: 20,
    async onEvent(_event, { signal }) {
      const end = deferred();
      ends.push(end);
      signals.push(signal);
      counts.peak = Math.max(counts.peak, ++counts.running);
      await end.promise.finally(() => counts.running--);
    },
    onError: ({ code }) => reported.push(code),
    ...options,
  });
  const deliver = (id = 'a') => receiver.handle(signed([event(id)]));
  return { receiver, deliver, ends, signals, reported, counts };
}

const timedOut = { status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } };
const inProgress = { status: 503, error: { code: 'ERR_WEBHOOK_IN_PROGRESS' } };

describe.each<[string, () => IdempotencyStore | undefined]>([
  ['the default store', () => undefined],
  ['another store with leases', () => fakeBulkStore(undefined).store],
])('a handler whose time is up, in %s', (_name, store) => {
  it('keeps its key: redeliveries are in progress, and a late success is a duplicate afterwards', async () => {
    const { deliver, ends, signals, counts } = held(store());
    expect(await deliver()).toMatchObject(timedOut);
    expect(signals[0]?.aborted).toBe(true);
    for (let tries = 0; tries < 3; tries++) expect(await deliver()).toMatchObject(inProgress);
    ends[0]?.resolve();
    await settled();
    expect(await deliver()).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }] });
    expect(counts.peak).toBe(1);
    expect(ends).toHaveLength(1);
  });

  it('frees its key when it fails late, and has its error reported under its key', async () => {
    const told: unknown[] = [];
    const { deliver, ends } = held(store(), {
      handlerTimeoutMs: 50,
      onError: ({ code, cause }, { item, idempotencyKey }) => told.push([code, cause, item?.status, idempotencyKey]),
    });
    await deliver();
    const late = new Error('late');
    ends[0]?.reject(late);
    await settled();
    const second = deliver();
    await settled();
    ends[1]?.resolve();
    expect(await second).toMatchObject({ status: 200, outcomes: [{ status: 'handled' }] });
    expect(told).toEqual([
      ['ERR_WEBHOOK_HANDLER_TIMEOUT', undefined, 'event', 'event.emitted:a'],
      ['ERR_WEBHOOK_HANDLER', late, 'event', 'event.emitted:a'],
    ]);
  });

  it('has no error reported twice when it ends with the reason of its signal', async () => {
    const { deliver, ends, signals, reported } = held(store());
    // An error of another realm, such as Node's AbortError in Jest, is not an `instanceof Error`.
    const errors = [
      (cause: unknown) => cause,
      (cause: unknown) => new Error('', { cause }),
      (cause: unknown) => ({ cause }),
    ];
    for (const [index, errorOf] of errors.entries()) {
      await deliver(`e${index}`);
      ends[index]?.reject(errorOf(signals[index]?.reason));
    }
    await settled();
    expect(reported).toEqual(errors.map(() => 'ERR_WEBHOOK_HANDLER_TIMEOUT'));
  });

  it('does not hold up the other events of its delivery, and of others', async () => {
    const { receiver, ends } = held(store(), {
      onEvent: ({ id }) => (id === 'hangs' ? new Promise(() => {}) : undefined),
    });
    const result = await receiver.handle(signed([event('b'), event('hangs'), event('c')]));
    expect(result.outcomes.map(({ status }) => status)).toEqual(['handled', 'failed', 'handled']);
    expect((await receiver.handle(signed([event('d')]))).status).toBe(200);
    expect(ends).toEqual([]);
  });

  it('takes up a place until it settles', async () => {
    const { deliver, ends } = held(store(), { maxInFlight: 1, handlerTimeoutMs: 50 });
    await deliver('a');
    expect(await deliver('b')).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_OVERLOADED' } });
    ends[0]?.resolve();
    await settled();
    const next = deliver('b');
    await settled();
    ends[1]?.resolve();
    expect(await next).toMatchObject({ status: 200 });
  });

  it('is waited for by drain', async () => {
    const { receiver, deliver, ends } = held(store());
    await deliver();
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
    const draining = receiver.drain({ timeoutMs: 5000 });
    let isDrained = false;
    void draining.then(() => {
      isDrained = true;
    });
    await settled();
    expect(isDrained).toBe(false);
    ends[0]?.resolve();
    expect(await draining).toEqual({ unfinished: 0 });
  });
});

describe.each<[string, object]>([
  ['onEvent', {}],
  ['onEvents', { onEvent: undefined, onEvents: () => new Promise(() => {}) }],
  ['enqueue', { onEvent: undefined, enqueue: () => new Promise(() => {}) }],
])('%s that never settles', (_name, handler) => {
  afterEach(() => void vi.useRealTimers());

  it('gives its place back after twice its time limit, and drain waits a minute for it', async () => {
    vi.useFakeTimers();
    const { receiver, deliver } = held(undefined, { maxInFlight: 3, handlerTimeoutMs: 1000, ...handler });
    const first = ['a', 'b', 'c'].map(deliver);
    await vi.advanceTimersByTimeAsync(1000);
    for (const { status } of await Promise.all(first)) expect(status).toBeGreaterThanOrEqual(500);
    await vi.advanceTimersByTimeAsync(1999);
    expect(await deliver('d')).toMatchObject({ error: { code: 'ERR_WEBHOOK_OVERLOADED' } });
    await vi.advanceTimersByTimeAsync(1);
    const next = deliver('d');
    await vi.advanceTimersByTimeAsync(1000);
    expect((await next).error?.code).not.toBe('ERR_WEBHOOK_OVERLOADED');
    const draining = receiver.drain({ timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await draining).toEqual({ unfinished: 4 });
    const rest = receiver.drain({ timeoutMs: 59_500 });
    await vi.advanceTimersByTimeAsync(59_500);
    expect(await rest).toEqual({ unfinished: 0 });
  });

  it('gives its place back although no timer fires, when a delivery arrives', async () => {
    vi.useFakeTimers();
    const { deliver } = held(undefined, { maxInFlight: 1, handlerTimeoutMs: 1000, ...handler });
    const first = deliver('a');
    await vi.advanceTimersByTimeAsync(1000);
    expect((await first).status).toBeGreaterThanOrEqual(500);
    expect(await deliver('b')).toMatchObject({ error: { code: 'ERR_WEBHOOK_OVERLOADED' } });
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2000);
    const next = deliver('b');
    await vi.advanceTimersByTimeAsync(0);
    now.mockRestore();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await next).error?.code).not.toBe('ERR_WEBHOOK_OVERLOADED');
  });
});

describe('a handler whose time is up, in a store that rolls back', () => {
  it('frees its key at once, as its effect is gone', async () => {
    const { keys, store } = fakeBulkStore(undefined, { transactional: true });
    const { deliver, ends, counts } = held(store, { handlerTimeoutMs: 50 });
    expect(await deliver()).toMatchObject(timedOut);
    expect(keys).toEqual(new Map());
    const second = deliver();
    await settled();
    ends[1]?.resolve();
    expect(await second).toMatchObject({ status: 200, outcomes: [{ status: 'handled' }] });
    expect(counts.peak).toBe(2);
    ends[0]?.resolve();
    await settled();
    expect(await deliver()).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }] });
  });
});

describe('a handler that succeeds after its time', () => {
  it.each([
    ['is waited for by drain while the store records its key', undefined],
    ['has the failure of the store to record its key reported', new Error('down')],
  ])('%s', async (_what, failure) => {
    const recording = deferred();
    const { receiver, deliver, ends, reported } = held({
      ...memoryStore(),
      async record(keys) {
        await recording.promise;
        return new Map(keys.map((key) => [key, true]));
      },
    });
    expect(await deliver()).toMatchObject(timedOut);
    ends[0]?.resolve();
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
    if (failure) recording.reject(failure);
    else recording.resolve();
    expect(await receiver.drain()).toEqual({ unfinished: 0 });
    expect(reported.slice(1)).toEqual(failure ? ['ERR_WEBHOOK_STORE'] : []);
  });
});

/** Until everything that needs no timer has settled. */
const settled = () => new Promise(setImmediate);
