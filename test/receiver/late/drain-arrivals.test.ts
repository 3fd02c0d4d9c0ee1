import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BodyReader } from '../../../src/receive/request.js';
import { deferred, event, noting, signed } from '../../helpers.js';

/** A request whose body arrives when the test says so, unless it is dropped before. */
function arriving(id: string) {
  const { rawBody, signature, timestamp } = signed([event(id)]);
  const headers: Record<string, string> = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
  const body = deferred<Uint8Array>();
  const reading = deferred();
  const dropped = deferred<string>();
  const read: BodyReader = ({ arrival }) => {
    arrival.onDrop(({ code }) => dropped.resolve(code));
    reading.resolve();
    return body.promise;
  };
  return {
    request: { method: 'POST', header: (name: string) => headers[name], rawBody: () => read },
    arrive: () => body.resolve(new TextEncoder().encode(rawBody)),
    reading: reading.promise,
    dropped: dropped.promise,
  };
}

describe('a delivery that is arriving when drain is called', () => {
  it('is handled, and waited for', async () => {
    const { receiver, handled } = noting();
    const begun = arriving('a');
    const answer = receiver.handleRequest(begun.request);
    await begun.reading;
    const draining = Promise.all([receiver.drain(), receiver.drain()]);
    expect(await receiver.handleRequest(arriving('b').request)).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    begun.arrive();
    expect(await answer).toMatchObject({ status: 200, closeConnection: true });
    expect(await draining).toEqual([{ unfinished: 0 }, { unfinished: 0 }]);
    expect(handled).toEqual(['a']);
  });

  it('is dropped when it stalls, and runs nothing when it arrives at last', async () => {
    const { receiver, handled, reported } = noting();
    const stalled = arriving('a');
    const answer = receiver.handleRequest(stalled.request);
    await stalled.reading;
    expect(await receiver.drain({ timeoutMs: 10 })).toEqual({ unfinished: 0 });
    expect(await stalled.dropped).toBe('ERR_WEBHOOK_DRAINING');
    expect(await answer).toMatchObject({ status: 503, error: { code: 'ERR_WEBHOOK_DRAINING' }, closeConnection: true });
    stalled.arrive();
    await new Promise(setImmediate);
    expect(handled).toEqual([]);
    expect(reported).toEqual(['ERR_WEBHOOK_DRAINING']);
  });
});

describe('drain', () => {
  afterEach(() => void vi.restoreAllMocks().useRealTimers());

  it('waits 5 s for a delivery that stalls, however long for the others', async () => {
    vi.useFakeTimers();
    const { receiver } = noting();
    const stalled = arriving('a');
    const answer = receiver.handleRequest(stalled.request);
    await stalled.reading;
    let code: string | undefined;
    void stalled.dropped.then((dropped) => {
      code = dropped;
    });
    // That of `receiveTimeoutMs`: a host without a limit needs none.
    expect(vi.getTimerCount()).toBe(1);
    const polls = vi.spyOn(globalThis, 'setTimeout');
    const draining = receiver.drain({ timeoutMs: 20_000 });
    await vi.advanceTimersByTimeAsync(4900);
    expect(code).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(code).toBe('ERR_WEBHOOK_DRAINING');
    expect(await answer).toMatchObject({ status: 503 });
    expect(await draining).toEqual({ unfinished: 0 });
    expect(polls.mock.calls.length).toBeLessThan(600);
  });

  it('waits for a delivery of a receiver without a store, as long as it may', async () => {
    vi.useFakeTimers();
    const gate = deferred();
    const { receiver } = noting({ store: false, onEvent: () => gate.promise });
    const answer = receiver.handle(signed([event('a')]));
    const begunAt = performance.now();
    const draining = receiver.drain({ timeoutMs: 25 }).then((result) => [result, performance.now() - begunAt]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await draining).toEqual([{ unfinished: 1 }, 25]);
    gate.resolve();
    expect(await answer).toMatchObject({ status: 200 });
    const drained = receiver.drain();
    await vi.advanceTimersByTimeAsync(100);
    expect(await drained).toEqual({ unfinished: 0 });
  });
});
