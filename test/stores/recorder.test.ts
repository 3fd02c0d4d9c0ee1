import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LeaseTable, resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { createRecorder } from '../../src/stores/recorder.js';
import { failing, nothing } from '../contracts/store-helpers.js';
import { deferred, never } from '../helpers.js';
import { once, onceEach } from './calls.js';
import { fakeTable, store503 } from './fake-table.js';

const timeoutMs = 100;
const options = resolveLeaseOptions({ timeoutMs });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type Recorded = ReturnType<LeaseTable['record']>;
const done: ReadonlySet<string> = new Set(['a']);
const taken: ReadonlySet<string> = new Set();

/** A store whose completions go wrong one after the other, in the given ways, before they go right. */
function storeWith(...ways: ((record: () => Recorded) => Recorded)[]) {
  const { rows, right, table } = fakeTable();
  let tries = 0;
  const record: LeaseTable['record'] = (keys, owner) => {
    const way = ways[tries++];
    return way ? way(() => right.record(keys, owner)) : right.record(keys, owner);
  };
  return { rows, table, store: storeOfLeases({ ...table, record }, options), tries: () => tries };
}

/** A store of which each record waits for an answer. */
function answering() {
  const { rows, table } = fakeTable();
  const answers: ReturnType<typeof deferred<ReadonlySet<string>>>[] = [];
  const record = () => answers[answers.push(deferred()) - 1]?.promise as Recorded;
  return { rows, answers, store: storeOfLeases({ ...table, record }, options) };
}

/** What a call gives in a process whose timers are late by then. */
function whenLate<T>(lateMs: number, call: () => T): T {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + lateMs);
  const given = call();
  clock.mockRestore();
  return given;
}

const lost = {
  'never settles': never,
  'is done, but its answer never comes': async (record: () => Recorded) => {
    await record();
    return never();
  },
  'throws at once': () => {
    throw new Error('closed');
  },
};

describe('a record', () => {
  it.each(Object.entries(lost))('is retried when its first try %s', async (_, way) => {
    const { store, table } = storeWith(way);
    const first = once(store, 'a', nothing).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(2 * timeoutMs);
    expect(await first).toBeOneOf(['handled', 'ERR_WEBHOOK_STORE']);
    expect(await once(store, 'a', failing)).toBe('duplicate');
    expect(await once(storeOfLeases(table, options), 'a', failing)).toBe('duplicate');
    expect(store.unrecorded?.()).toEqual([]);
  });

  it('accepts a late answer to an earlier try', async () => {
    const answer = deferred<ReadonlySet<string>>();
    const { store, tries } = storeWith(() => answer.promise, never, never, never);
    const first = expect(once(store, 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(timeoutMs + 50);
    await first;
    expect(tries()).toBe(2);
    expect(store.unrecorded?.()).toHaveLength(1);
    answer.resolve(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.unrecorded?.()).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries()).toBe(2);
  });

  it('is not tried by a call that comes in a pause', async () => {
    const { store, tries } = storeWith(lost['throws at once']);
    const first = once(store, 'a', nothing);
    await vi.advanceTimersByTimeAsync(20);
    const second = once(store, 'a', failing);
    expect(tries()).toBe(1);
    await vi.advanceTimersByTimeAsync(5);
    expect(await Promise.all([first, second])).toEqual(['handled', 'duplicate']);
    expect(tries()).toBe(2);
  });

  it('is not tried again by the call that began it once another one has taken over', async () => {
    const { store, tries } = storeWith(lost['throws at once'], never);
    void once(store, 'a', nothing).catch(() => {});
    await vi.advanceTimersByTimeAsync(1);
    void whenLate(10_000, () => once(store, 'a', failing)).catch(() => {});
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(tries()).toBe(2);
  });

  it('settles for the call that began it as soon as for the one that took over', async () => {
    const { answers, store } = answering();
    const first = once(store, 'a', nothing);
    await vi.advanceTimersByTimeAsync(0);
    const second = whenLate(10_000, () => once(store, 'a', failing));
    answers[0]?.reject(new Error('down'));
    await vi.advanceTimersByTimeAsync(0);
    answers[1]?.resolve(done);
    const words = vi.fn();
    void Promise.all([first, second]).then(words);
    await vi.advanceTimersByTimeAsync(0);
    expect(words).toHaveBeenCalledWith(['handled', 'duplicate']);
  });

  it('is decided by the first answer to any of its tries', async () => {
    const { answers, store } = answering();
    const first = expect(once(store, 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(timeoutMs + 50);
    await first;
    const [pending] = store.unrecorded?.() ?? [];
    answers[1]?.resolve(done);
    answers[0]?.resolve(taken);
    await expect(pending).resolves.toEqual(new Set(['a']));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(2);
    expect(store.unrecorded?.()).toEqual([]);
  });

  it('fails after an earlier try reports that another owner has the key', async () => {
    const { store } = storeWith(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 3 * timeoutMs));
        return taken;
      },
      never,
      never,
    );
    const first = expect(once(store, 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    await first;
    const [pending] = store.unrecorded?.() ?? [];
    const lostKey = expect(pending).resolves.toEqual(new Set());
    await vi.advanceTimersByTimeAsync(2 * timeoutMs);
    await lostKey;
  });

  it('is unrecorded from its rejection until it succeeds', async () => {
    let isDown = true;
    const { table, right } = fakeTable();
    const record: LeaseTable['record'] = (keys, owner) =>
      isDown ? Promise.reject(new Error('down')) : right.record(keys, owner);
    const store = storeOfLeases({ ...table, record }, options);
    const taking = once(store, 'a', nothing).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(99);
    expect(store.unrecorded?.()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await taking).toBe('ERR_WEBHOOK_STORE');
    expect(store.unrecorded?.()).toHaveLength(1);
    const waiting = Promise.all(store.unrecorded?.() ?? []);
    isDown = false;
    await vi.advanceTimersByTimeAsync(5000);
    await waiting;
    expect(store.unrecorded?.()).toEqual([]);
  });

  it('is continued by the next call for one of its keys if its retries stopped, as when Workers ends a request', async () => {
    const { store, table, tries } = storeWith(never, never);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(0 as never);
    void onceEach(store, ['a', 'b'], nothing);
    await vi.advanceTimersByTimeAsync(0);
    timers.mockRestore();
    const early = once(store, 'a', failing).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await early).toBe('ERR_WEBHOOK_STORE');
    void once(store, 'a', failing).catch(() => {});
    expect(tries()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    const words = onceEach(store, ['b', 'a'], failing).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await words).toBe('ERR_WEBHOOK_STORE');
    expect(tries()).toBe(2);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await once(store, 'a', failing)).toBe('duplicate');
    expect(await once(storeOfLeases(table, options), 'b', failing)).toBe('duplicate');
    expect(store.unrecorded?.()).toEqual([]);
  });

  it('is retried by one call at a time, however often a busy process fires its timers late', async () => {
    let tries = 0;
    const record = () => {
      tries++;
      return failing() as Promise<never>;
    };
    const store = storeOfLeases(fakeTable({ record }).table, options);
    void once(store, 'a', nothing).catch(() => {});
    await vi.advanceTimersByTimeAsync(timeoutMs);
    const [pending] = store.unrecorded?.() ?? [];
    const isSettled = vi.fn();
    pending?.then(isSettled, isSettled);
    for (let lateMs = 10_000; lateMs < 1_000_000; lateMs += 10_000)
      void whenLate(lateMs, () => once(store, 'a', failing)).catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    const before = tries;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries - before).toBe(12);
    expect(isSettled).not.toHaveBeenCalled();
  });

  it('of a run that lost its key keeps the record of its successor', async () => {
    const { rows, answers, store } = answering();
    const end = deferred();
    const late = once(store, 'a', () => end.promise).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(0);
    rows.clear(); // Its lease is over.
    const successor = once(store, 'a', () => new Promise<void>((resolve) => setTimeout(resolve, 1))).catch(
      () => 'late',
    );
    await vi.advanceTimersByTimeAsync(0);
    end.resolve();
    await vi.advanceTimersByTimeAsync(101);
    expect(await Promise.all([late, successor])).toEqual(['ERR_WEBHOOK_STORE', 'late']);
    expect(store.unrecorded?.()).toHaveLength(2);
    answers[0]?.resolve(taken);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.unrecorded?.()).toHaveLength(1);
    const again = once(store, 'a', failing).catch((error) => error.code);
    await vi.advanceTimersByTimeAsync(100);
    expect(await again).toBe('ERR_WEBHOOK_STORE');
    answers[1]?.resolve(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.unrecorded?.()).toEqual([]);
  });
});

it('a key that was run twice is pending until both of its records have an answer', async () => {
  const answers = new Map(['first', 'second'].map((owner) => [owner, deferred<ReadonlySet<string>>()]));
  const { record, pending, isIdle } = createRecorder((_, owner) => answers.get(owner)?.promise as never, {
    retentionMs: 60_000,
    timeoutMs: 10_000,
  });
  const [first, second] = [record(['a'], 'first'), record(['a'], 'second')];
  answers.get('second')?.resolve(new Set());
  expect(await second).toEqual(new Set());
  const waiting = pending('a');
  answers.get('first')?.resolve(new Set(['a']));
  await expect(waiting).resolves.toBeUndefined();
  expect(await first).toEqual(new Set(['a']));
  expect([pending('a'), isIdle()]).toEqual([undefined, true]);
});
