import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred, event, never, noting, signed } from '../../helpers.js';
import { storeDoing } from '../fake-bulk-store.js';

// The host's clock is the fake one: nothing here takes real time.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the host grants from now on, as `handle` takes it. */
function granting(ms: number) {
  const end = Date.now() + ms;
  return { remainingMs: () => end - Date.now() };
}

describe('work that continues after the answer', () => {
  /** What a host is asked to wait for, and how many of these have settled. */
  function waiter() {
    const works: Promise<unknown>[] = [];
    const host = { settled: 0, works, waitUntil };
    function waitUntil(work: Promise<unknown>) {
      works.push(work);
      // A rejection would be unhandled, and fail the test.
      void work.then(() => host.settled++);
    }
    return host;
  }
  const late = { status: 500, error: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } };
  const overloaded = { status: 503, error: { code: 'ERR_WEBHOOK_OVERLOADED' } };

  it.each(['resolve', 'reject'] as const)('is waited for by the host: a handler that is late to %s', async (how) => {
    const ends: ReturnType<typeof deferred<void>>[] = [];
    const onEvent = () => {
      const end = deferred();
      ends.push(end);
      return end.promise;
    };
    const { receiver } = noting({ handlerTimeoutMs: 1000, onEvent });
    const [one, other] = [waiter(), waiter()];
    const answers = [one, other].map(({ waitUntil }, index) =>
      receiver.handle({ ...signed([event(`e${index}`)]), ...granting(30_000), waitUntil }),
    );
    await vi.advanceTimersByTimeAsync(999);
    expect([one.works, other.works]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    for (const answer of answers) expect(await answer).toMatchObject(late);
    expect([one.works.length, other.works.length]).toEqual([1, 1]);
    ends[0]?.[how](undefined as never);
    await vi.advanceTimersByTimeAsync(0);
    expect([one.works.length, one.settled]).toEqual([1, 1]);
    expect([other.works.length, other.settled]).toEqual([1, 0]);
  });

  it('is waited for by the host until the store has recorded it', async () => {
    const recorded = deferred();
    const store = storeDoing(async (run) => {
      await run();
      await recorded.promise;
      return 'handled';
    });
    const { receiver } = noting({ handlerTimeoutMs: 1000, store, onEvent: () => sleep(1500) });
    const host = waiter();
    const answer = receiver.handle({ ...signed([event('a')]), ...granting(30_000), waitUntil: host.waitUntil });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toMatchObject(late);
    await vi.advanceTimersByTimeAsync(500);
    expect([host.works.length, host.settled]).toEqual([1, 0]);
    recorded.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.settled).toBe(1);
  });

  it.each<[string, unknown, (hang: () => Promise<never>) => object]>([
    ['onEvents', event('a'), (onEvents) => ({ onEvents })],
    ['enqueue', event('a'), (enqueue) => ({ enqueue })],
    ['onInvalid', { id: 'a', event: 'event.emitted' }, (onInvalid) => ({ onInvalid })],
    ['onUnknown', { id: 'a', event: 'new.kind', data: {} }, (onUnknown) => ({ onUnknown })],
    ['finality', event('a'), (before) => ({ finality: { before }, idempotencyKey: ({ id }: { id: string }) => id })],
  ])('is waited for by the host, and gives up its place after the host’s time: %s', async (_name, item, options) => {
    const hang = vi.fn(never);
    const { receiver } = noting({ maxInFlight: 1, handlerTimeoutMs: 1000, ...options(hang) });
    const host = waiter();
    const deliver = () => receiver.handle({ ...signed([item]), ...granting(2500), waitUntil: host.waitUntil });
    const first = deliver();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await first).status).toBeGreaterThanOrEqual(500);
    expect([hang.mock.calls.length, host.works.length, host.settled]).toEqual([1, 1, 0]);
    expect(await deliver()).toMatchObject(overloaded);
    await vi.advanceTimersByTimeAsync(1499);
    expect(await deliver()).toMatchObject(overloaded);
    await vi.advanceTimersByTimeAsync(1);
    const last = deliver();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await last).error?.code).not.toBe('ERR_WEBHOOK_OVERLOADED');
  });

  it('keeps its place until it settles on a host that waits and sets no limit', async () => {
    const { receiver } = noting({ maxInFlight: 1, handlerTimeoutMs: 1000, onEvent: () => sleep(2900) });
    const host = waiter();
    const handle = (id: string) => receiver.handle({ ...signed([event(id)]), waitUntil: host.waitUntil });
    const first = handle('a');
    await vi.advanceTimersByTimeAsync(2899);
    expect(await first).toMatchObject(late);
    expect(await handle('b')).toMatchObject(overloaded);
    await vi.advanceTimersByTimeAsync(1);
    expect(host.settled).toBe(1);
    const second = handle('b');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await second).toMatchObject(late);
  });

  it.each<[string, unknown]>([
    [
      'throws',
      vi.fn(() => {
        throw new Error('no');
      }),
    ],
    ['rejects', vi.fn(() => Promise.reject(new Error('no')))],
    ['is no function', 1],
  ])('is answered as usual where waitUntil %s', async (_how, waitUntil) => {
    const { receiver, reported } = noting({ handlerTimeoutMs: 1000, onEvent: () => sleep(1500) });
    const handle = () => receiver.handle({ ...signed([event('a')]), waitUntil: waitUntil as () => void });
    const answer = handle();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answer).toMatchObject(late);
    expect(await handle()).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }] });
    if (vi.isMockFunction(waitUntil)) expect(waitUntil).toHaveBeenCalledTimes(1);
    expect(reported).toEqual(['ERR_WEBHOOK_HANDLER_TIMEOUT']);
  });
});
