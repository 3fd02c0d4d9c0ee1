import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boundedCalls } from '../../src/stores/bounded-calls.js';
import { resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { DELIVERY } from '../../src/stores/store.js';
import { nothing } from '../contracts/store-helpers.js';
import { deferred, never } from '../helpers.js';
import { once } from './calls.js';
import { fakeTable, store503 } from './fake-table.js';

const hour = 3_600_000;
const timeoutMs = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes calls that are never answered, and returns how many were made and refused. */
function lose(calls: ReturnType<typeof boundedCalls>, count: number) {
  let [made, refused] = [0, 0];
  for (let index = 0; index < count; index++) {
    try {
      void calls.send(() => {
        made++;
        return never();
      });
    } catch {
      refused++;
    }
  }
  return { made, refused };
}

describe('boundedCalls', () => {
  it('refuses a call beyond the limit, and says why', () => {
    const calls = boundedCalls({ timeoutMs });
    expect(lose(calls, 1500)).toEqual({ made: 1000, refused: 500 });
    expect(() => calls.send(never)).toThrow(store503);
    expect(() => calls.send(never)).toThrow(
      /^1000 calls of the client are unanswered, so the store sends no further commands for now\. Check that the server answers, and that the client has a socket timeout\.$/,
    );
  });

  it.each(['resolves', 'rejects'])('accepts another call for each one that %s', async (way) => {
    const calls = boundedCalls({ timeoutMs });
    const answer = deferred();
    for (let index = 0; index < 10; index++) calls.send(() => answer.promise).catch(nothing);
    lose(calls, 990);
    if (way === 'resolves') answer.resolve();
    else answer.reject(new Error('the connection is closed'));
    await vi.advanceTimersByTimeAsync(0);
    expect(lose(calls, 20)).toEqual({ made: 10, refused: 10 });
  });

  it('probes with one call after growing pauses, and works again after an answer', async () => {
    const calls = boundedCalls({ timeoutMs });
    lose(calls, 1001);
    const made: number[] = [];
    for (let second = 1; second <= 150; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      if (lose(calls, 5).made > 0) made.push(second);
    }
    // At least once a minute.
    expect(made).toEqual([2, 5, 10, 19, 36, 69, 130]);
  });

  it.each([
    ['for an hour', hour, {}],
    ['for as long as a client says', 60_000, { lostAfterMs: 60_000 }],
  ])('ignores calls that have been lost %s', async (_, ms, limits) => {
    const calls = boundedCalls({ timeoutMs, ...limits });
    lose(calls, 1000);
    await vi.advanceTimersByTimeAsync(ms);
    expect(lose(calls, 1)).toEqual({ made: 0, refused: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(lose(calls, 1)).toEqual({ made: 1, refused: 0 });
    expect(lose(calls, 1000)).toEqual({ made: 999, refused: 1 });
  });

  it('counts that time from the last call that was made', async () => {
    const calls = boundedCalls({ timeoutMs, lostAfterMs: 1000 });
    lose(calls, 999);
    await vi.advanceTimersByTimeAsync(500);
    lose(calls, 1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(lose(calls, 1)).toEqual({ made: 0, refused: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(lose(calls, 1)).toEqual({ made: 1, refused: 0 });
  });

  it('makes no room for the answers of calls that count as lost', async () => {
    const calls = boundedCalls({ timeoutMs, lostAfterMs: 1000 });
    const answer = deferred();
    for (let index = 0; index < 1000; index++) calls.send(() => answer.promise).catch(nothing);
    await vi.advanceTimersByTimeAsync(1001);
    expect(lose(calls, 1000)).toEqual({ made: 1000, refused: 0 });
    answer.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(lose(calls, 1)).toEqual({ made: 0, refused: 1 });
  });

  it('counts a synchronous throw as an answer', async () => {
    const calls = boundedCalls({ timeoutMs });
    for (let index = 0; index < 1500; index++) {
      const thrown = calls.send(() => {
        throw new Error('closed');
      });
      await expect(thrown).rejects.toThrow('closed');
    }
  });

  it('pauses while there is no answer, so that a socket can time out, and resumes after one', async () => {
    const calls = boundedCalls({ timeoutMs, pausesInSilence: true });
    const answer = deferred();
    void calls.send(() => answer.promise);
    await vi.advanceTimersByTimeAsync(500);
    expect(lose(calls, 1)).toEqual({ made: 1, refused: 0 });
    await vi.advanceTimersByTimeAsync(1);
    for (let ms = 0; ms < 1000; ms += 100) {
      expect(lose(calls, 1)).toEqual({ made: 0, refused: 1 });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(() => calls.send(never)).toThrow(
      /^The client has not answered for 500 ms, so the store sends no further commands for now\. Check that the server answers/,
    );
    answer.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(lose(calls, 3)).toEqual({ made: 3, refused: 0 });
  });

  it('does not pause for calls that count as lost, or before the first call', async () => {
    const calls = boundedCalls({ timeoutMs, pausesInSilence: true, lostAfterMs: 1000 });
    await vi.advanceTimersByTimeAsync(hour);
    expect(lose(calls, 1000)).toEqual({ made: 1000, refused: 0 });
    await vi.advanceTimersByTimeAsync(1001);
    expect(lose(calls, 1)).toEqual({ made: 1, refused: 0 });
  });

  it('does not pause for one lost call while others are answered', async () => {
    const calls = boundedCalls({ timeoutMs, pausesInSilence: true });
    lose(calls, 1);
    for (let ms = 0; ms < 5000; ms += 100) {
      expect(await calls.send(async () => 'answer')).toBe('answer');
      await vi.advanceTimersByTimeAsync(100);
    }
  });
});

describe('a store whose client does not answer', () => {
  it('fails immediately beyond 1000 claims, releases no claim that it did not make, and recovers', async () => {
    const { right, table } = fakeTable();
    const answers = deferred();
    let [claims, releases] = [0, 0];
    const store = storeOfLeases(
      {
        ...table,
        async claim(key, owner) {
          claims++;
          await answers.promise;
          return right.claim(key, owner, DELIVERY);
        },
        async release(key, owner) {
          releases++;
          return right.release(key, owner);
        },
      },
      resolveLeaseOptions({ timeoutMs }),
    );
    const run = vi.fn(nothing);
    const results = Promise.allSettled(Array.from({ length: 1200 }, (_, index) => once(store, `key-${index}`, run)));
    await vi.advanceTimersByTimeAsync(timeoutMs);
    for (const result of await results) expect(result).toEqual({ status: 'rejected', reason: store503 });
    expect(claims).toBe(1000);
    answers.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(releases).toBe(1000);
    expect(run).not.toHaveBeenCalled();
    expect(await once(store, 'key-1', run)).toBe('handled');
  });

  it('counts its calls as lost after the time that the store sets', async () => {
    const claim = vi.fn(never);
    const options = resolveLeaseOptions({ timeoutMs });
    const store = storeOfLeases({ ...fakeTable().table, claim }, options, { lostAfterMs: 5000 });
    const take = () => void once(store, 'a', nothing).catch(nothing);
    for (let index = 0; index < 1000; index++) take();
    await vi.advanceTimersByTimeAsync(1000);
    take();
    await vi.advanceTimersByTimeAsync(1001);
    for (let index = 0; index < 2; index++) take();
    // One of those is a probe, after timeoutMs.
    expect(claim).toHaveBeenCalledTimes(1001);
    await vi.advanceTimersByTimeAsync(3000);
    for (let index = 0; index < 2; index++) take();
    expect(claim).toHaveBeenCalledTimes(1003);
  });

  it('keeps retrying a record that could not be sent', async () => {
    const { table } = fakeTable();
    const answers = deferred<never>();
    const running = deferred();
    const store = storeOfLeases(
      { ...table, claim: (keys, owner) => (keys[0] === 'a' ? table.claim(keys, owner, DELIVERY) : answers.promise) },
      resolveLeaseOptions({ timeoutMs: 100 }),
    );
    const first = once(store, 'a', () => running.promise).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(0);
    for (let index = 0; index < 1000; index++) once(store, `key-${index}`, nothing).catch(nothing);
    running.resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe('ERR_WEBHOOK_STORE');
    expect(store.unrecorded?.()).toHaveLength(1);
    answers.reject(new Error('the connection was replaced'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.unrecorded?.()).toEqual([]);
    expect(await once(store, 'a', nothing)).toBe('duplicate');
  });
});
