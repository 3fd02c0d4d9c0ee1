import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, serviceHeaders } from '../../src/index.js';
import { deferred, event, never, noting, type Settings, signed, throwing } from '../helpers.js';
import { storeDoing } from './fake-bulk-store.js';

// The host's clock is the fake one: nothing here takes real time.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.unstubAllGlobals().useRealTimers());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ids = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);
const outOfTime = { status: 503, error: { code: 'ERR_WEBHOOK_OUT_OF_TIME' }, retryAfterSeconds: 5 };

/** What the host grants from now on, as `handle` takes it. */
function granting(ms: number) {
  const end = Date.now() + ms;
  return { remainingMs: () => end - Date.now() };
}

/** Delivers events, and returns the answer with how long it took. */
async function deliver(receiver: ReturnType<typeof noting>['receiver'], events: readonly unknown[], grantedMs: number) {
  const start = Date.now();
  const answer = receiver.handle({ ...signed(events), ...granting(grantedMs) }).then((result) => {
    return { ...result, tookMs: Date.now() - start };
  });
  await vi.advanceTimersByTimeAsync(60_000);
  return answer;
}

/** A receiver whose handler takes `ms`, and the ids of events that took effect. */
function slow(ms: number, settings: Settings = {}) {
  const effects: string[] = [];
  const { receiver, reported } = noting({
    async onEvent({ id }, { throwIfExpired }) {
      await sleep(ms);
      throwIfExpired();
      effects.push(id);
    },
    ...settings,
  });
  return { receiver, effects, reported };
}

describe('a delivery of 100 events with time for 40', () => {
  it.each([1, 4])(
    'records 40, does not begin the others, and the redelivery handles those, %i at once',
    async (concurrency) => {
      const { receiver, effects, reported } = slow(100 * concurrency, { concurrency });
      const events = ids(100).map((id) => event(id));
      // Handlers end 500 ms before the host does, and none begins with less than 500 ms.
      const first = await deliver(receiver, events, 4_950);
      expect(first).toMatchObject(outOfTime);
      expect(first.tookMs).toBe(4000);
      expect(first.outcomes.map(({ status }) => status)).toEqual([
        ...Array(40).fill('handled'),
        ...Array(60).fill('failed'),
      ]);
      expect(effects.sort()).toEqual(ids(40).sort());
      expect(reported).toEqual(Array(60).fill('ERR_WEBHOOK_OUT_OF_TIME'));

      effects.length = 0;
      const second = await deliver(receiver, events, 30_000);
      expect(second.status).toBe(200);
      expect(effects.sort()).toEqual(ids(100).slice(40).sort());
      expect(second.outcomes.filter(({ status }) => status === 'duplicate')).toHaveLength(40);
    },
  );
});

describe('an event near the end of the host’s time', () => {
  it('is begun with less time than the event before it took to fail', async () => {
    const begun: string[] = [];
    const { receiver } = noting({
      async onEvent({ id }) {
        begun.push(id);
        if (id === 'a') await never();
      },
      handlerTimeoutMs: 4000,
    });
    const answer = await deliver(receiver, [event('a'), event('b')], 6000);
    expect(answer).toMatchObject({ status: 500, outcomes: [{ status: 'failed' }, { status: 'handled' }] });
    expect(begun).toEqual(['a', 'b']);
  });

  it('is begun with less than 500 ms if handlerTimeoutMs is less', async () => {
    const { receiver, effects } = slow(20, { handlerTimeoutMs: 100 });
    expect((await deliver(receiver, [event('a')], 600)).status).toBe(200);
    expect(effects).toEqual(['a']);
    expect(await deliver(receiver, [event('b')], 599)).toMatchObject(outOfTime);
  });

  it('is not begun after a cold start that used up the time, and claims no key', async () => {
    const store = memoryStore();
    const claim = vi.spyOn(store, 'claim');
    const { receiver, effects } = slow(0, { store });
    expect(await deliver(receiver, [event('a')], 999)).toMatchObject({ ...outOfTime, tookMs: 0 });
    expect(claim).not.toHaveBeenCalled();
    expect((await deliver(receiver, [event('a')], 1000)).status).toBe(200);
    expect(effects).toEqual(['a']);
  });

  it('is answered before the end if its handler hangs, with an error that names the host’s limit', async () => {
    const contexts: { deadline: number; signal: AbortSignal }[] = [];
    const { receiver } = noting({
      onEvent: (_event, context) => {
        contexts.push(context);
        return never();
      },
    });
    const start = Date.now();
    const answer = await deliver(receiver, [event('a'), event('b')], 3000);
    expect(answer).toMatchObject({ status: 500, tookMs: 2500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(answer.error?.message).toMatch(
      /2500 ms that the host's time limit left .* raise the timeout of the function/,
    );
    expect(answer.outcomes[1]?.error?.code).toBe('ERR_WEBHOOK_OUT_OF_TIME');
    expect(contexts).toHaveLength(1);
    expect(contexts[0]?.deadline).toBe(start + 2500);
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  it('keeps handlerTimeoutMs as its limit where that is less', async () => {
    const { receiver } = noting({ handlerTimeoutMs: 1000, onEvent: never });
    const answer = await deliver(receiver, [event('a')], 3000);
    expect(answer).toMatchObject({ status: 500, tookMs: 1000 });
    expect(answer.error?.message).toMatch(/longer than 1000 ms \(handlerTimeoutMs/);
  });

  it('is answered 403, not 503, if it is forged', async () => {
    const { receiver } = noting();
    const forged = { ...signed([event('a')]), signature: '0'.repeat(64), ...granting(-5) };
    expect((await receiver.handle(forged)).status).toBe(403);
  });
});

describe('everything else that a delivery waits for', () => {
  const stores = {
    'a claim that hangs': storeDoing(never),
    'a record that hangs': storeDoing((run) => run().then(never)),
  };
  it.each(Object.entries(stores))('%s is 503 before the host’s end', async (_name, store) => {
    const { receiver } = noting({ store });
    const answer = await deliver(receiver, [event('a'), event('b')], 3000);
    expect(answer).toMatchObject({ status: 503, tookMs: 2900 });
    expect(answer.outcomes.map(({ error }) => error?.code)).toEqual(['ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_OUT_OF_TIME']);
  });

  it('a body that hangs is 503 before the host’s end, and no longer read', async () => {
    const dropped = deferred();
    const { signature, timestamp } = signed([]);
    const headers = new Headers({ [serviceHeaders.signature]: signature, [serviceHeaders.timestamp]: timestamp });
    const { receiver, reported } = noting();
    const answer = receiver.handleRequest({
      method: 'POST',
      header: (name) => headers.get(name) ?? undefined,
      ...granting(3000),
      rawBody:
        () =>
        ({ arrival }) => {
          arrival.onDrop(() => dropped.resolve());
          return never();
        },
    });
    await vi.advanceTimersByTimeAsync(2899);
    expect(reported).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await dropped.promise;
    expect(await answer).toMatchObject({ ...outOfTime, outcomes: [] });
  });

  it('a look-up of the secret that hangs is 503 before the host’s end', async () => {
    const { receiver } = noting({ secret: never });
    expect(await deliver(receiver, [event('a')], 3000)).toMatchObject({ ...outOfTime, tookMs: 2900 });
  });

  it('enqueue is cut off, or not begun', async () => {
    const enqueue = vi.fn(never);
    const { receiver } = noting({ enqueue });
    const cut = await deliver(receiver, [event('a'), event('b')], 3000);
    expect(cut).toMatchObject({ status: 503, tookMs: 2500, error: { code: 'ERR_WEBHOOK_ENQUEUE' } });
    const outcomes = [{ status: 'failed' }, { status: 'failed' }];
    expect(await deliver(receiver, [event('a'), event('b')], 900)).toMatchObject({ ...outOfTime, tookMs: 0, outcomes });
    expect(enqueue).toHaveBeenCalledOnce();
  });

  it.each(['onInvalid', 'onUnknown'] as const)('%s is cut off, or not begun', async (hook) => {
    const taken = vi.fn(never);
    const { receiver } = noting({ [hook]: taken });
    const item = hook === 'onInvalid' ? { id: 'a', event: 'event.emitted' } : { id: 'a', event: 'new.kind', data: {} };
    const outcomes = [{ status: 'failed' }];
    expect(await deliver(receiver, [item], 3000)).toMatchObject({ status: 500, tookMs: 2500, outcomes });
    expect(await deliver(receiver, [item], 900)).toMatchObject({ ...outOfTime, tookMs: 0 });
    expect(taken).toHaveBeenCalledOnce();
  });
});

describe('a host’s odd answers', () => {
  it.each<[string, () => unknown]>([
    ['NaN', () => Number.NaN],
    ['text', () => '900'],
    ['Infinity', () => Number.POSITIVE_INFINITY],
    ['more than a timer can take', () => 1e300],
    ['a promise that rejects', () => Promise.reject(new Error('no'))],
    ['an error', throwing(new Error('no'))],
  ])('%s: sets no limit', async (_name, remainingMs) => {
    const { receiver, effects } = slow(10_000);
    const answer = receiver.handle({ ...signed([event('a')]), remainingMs: remainingMs as () => number });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await answer).status).toBe(200);
    expect(effects).toEqual(['a']);
  });

  it.each([0, -1, Number.NEGATIVE_INFINITY])('%d: begins nothing', async (ms) => {
    const { receiver, effects } = slow(0);
    const set = vi.fn(globalThis.setTimeout);
    vi.stubGlobal('setTimeout', set);
    const answer = receiver.handle({ ...signed([event('a')]), remainingMs: () => ms });
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toMatchObject(outOfTime);
    expect(effects).toEqual([]);
    // Newer Node writes a warning for each timer with a negative delay.
    for (const [, delayMs] of set.mock.calls) expect(delayMs).toBeGreaterThanOrEqual(0);
    expect(set).toHaveBeenCalled();
  });
});
