import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LeaseTable, leasedStore, resolveLeaseOptions } from '../../src/stores/leased-store.js';
import { deferred } from '../helpers.js';
import { fakeTable } from './fake-table.js';

const options = resolveLeaseOptions({ timeoutMs: 100 });
const nothing = async () => {};
const failing = () => Promise.reject(new Error('the run failed'));
const store503 = expect.objectContaining({ code: 'ERR_WEBHOOK_STORE', status: 503 });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('leasedStore', () => {
  it('fails without a run if a claim is answered late, and releases that claim', async () => {
    const late = deferred();
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await late.promise;
      return right.claim(keys, owner);
    };
    const slow = leasedStore({ ...table, claim }, options);
    let runs = 0;
    const taking = slow.once('a', async () => void runs++);
    const refused = expect(taking).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(0);
    expect(rows.size).toBe(0);
    expect(await leasedStore(table, options).once('a', nothing)).toBe('handled');
  });

  it('does not release a key after a late answer that another run has it', async () => {
    const late = deferred<void>();
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await late.promise;
      return right.claim(keys, owner);
    };
    const refused = expect(leasedStore({ ...table, claim }, options).once('a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    await right.claim(['a'], 'another');
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(rows.get('a')).toEqual({ owner: 'another', done: false });
  });

  it('releases a claim whose answer was lost before it fails, because the server may have made it', async () => {
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await right.claim(keys, owner);
      throw new Error('the connection was cut');
    };
    const release: LeaseTable['release'] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return right.release(...args);
    };
    const store = leasedStore({ ...table, claim, release }, options);
    const left = store.once('a', nothing).catch(({ message }) => [message, rows.size]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await left).toEqual(['the connection was cut', 0]);
  });

  it('rethrows the error of a claim, without a run', async () => {
    const down = new Error('connection refused');
    const store = leasedStore(fakeTable({ claim: () => Promise.reject(down) }).table, options);
    const run = vi.fn(nothing);
    await expect(store.once('a', run)).rejects.toBe(down);
    expect(run).not.toHaveBeenCalled();
  });

  it('records after an outage shorter than timeoutMs without an error', async () => {
    const { table, right } = fakeTable();
    let down = 2;
    const complete: LeaseTable['complete'] = async (keys, owner) => {
      if (down-- > 0) throw new Error('connection lost');
      return right.complete(keys, owner);
    };
    const taking = leasedStore({ ...table, complete }, options).once('a', nothing);
    await vi.advanceTimersByTimeAsync(99);
    expect(await taking).toBe('handled');
  });

  it('keeps retrying a record after the delivery failed, and does not run its key in the meantime', async () => {
    const { rows, table, right } = fakeTable();
    let down = true;
    const complete: LeaseTable['complete'] = async (keys, owner) => {
      if (down) throw new Error('connection lost');
      return right.complete(keys, owner);
    };
    const store = leasedStore({ ...table, complete }, options);
    const run = vi.fn(nothing);
    const first = expect(store.once('a', run)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await first;

    // The server has lost all that was in it: only this process still knows.
    rows.clear();
    const second = expect(store.once('a', run)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await second;
    down = false;
    await vi.advanceTimersByTimeAsync(5000);

    expect(await store.once('a', run)).toBe('duplicate');
    expect(await leasedStore(table, options).once('a', run)).toBe('duplicate');
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('lets a duplicate wait for a pending record', async () => {
    const { table, right } = fakeTable();
    const gate = deferred();
    const complete: LeaseTable['complete'] = async (keys, owner) => {
      await gate.promise;
      return right.complete(keys, owner);
    };
    const store = leasedStore({ ...table, complete }, options);
    const first = store.once('a', nothing);
    await vi.advanceTimersByTimeAsync(1);
    const second = store.once('a', failing);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual(['handled', 'duplicate']);
  });

  it('says what to change when another run took over the key', async () => {
    const store = leasedStore(fakeTable({ complete: async () => new Set<string>() }).table, options);
    await expect(store.once('a', nothing)).rejects.toThrow(
      'The run took longer than its lease of 60000 ms and another run has taken over the key, so the event may take effect twice. Increase leaseMs.',
    );
  });

  // A claim may take a tenth of the lease, or 250 ms, or 0.8 of a short lease; a handler gets 0.9 of what is said here.
  it.each([
    [{}, 60_000],
    [{ leaseMs: 2500 }, 2500],
    [{ leaseMs: 1000 }, 750 / 0.9],
    [{ leaseMs: 100 }, 20 / 0.9],
    [{ leaseMs: 1000, timeoutMs: 100 }, 1000],
    [{ leaseMs: 1000, timeoutMs: 200 }, 800 / 0.9],
  ])('leaves the handler what a claim may take of its lease: %j', (settings, leaseMs) => {
    expect(leasedStore(fakeTable().table, resolveLeaseOptions(settings)).leaseMs).toBeCloseTo(leaseMs, 8);
  });

  it('remembers keys since the retention', () => {
    vi.setSystemTime(1_000_000);
    const { table } = fakeTable();
    expect(leasedStore(table, { ...options, retentionMs: 1000 }).rememberedSince()).toBe(999_000);
  });

  it('tells a run how much of the lease is left since the claim was sent', async () => {
    const { table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return right.claim(keys, owner);
    };
    const left: unknown[] = [];
    const store = leasedStore({ ...table, claim }, resolveLeaseOptions({ leaseMs: 1000 }));
    const taking = store.once('a', async (_, { remainingMs }) => {
      left.push(remainingMs?.());
      await new Promise((resolve) => setTimeout(resolve, 20));
      left.push(remainingMs?.());
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(await taking).toBe('handled');
    expect(left).toEqual([970, 950]);
  });

  it('waits for the release of a failed run, but no longer than timeoutMs', async () => {
    const { rows, table, right } = fakeTable();
    const release: LeaseTable['release'] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return right.release(...args);
    };
    const settled = vi.fn();
    leasedStore({ ...table, release }, options)
      .once('a', failing)
      .catch(settled);
    await vi.advanceTimersByTimeAsync(59);
    expect([rows.size, settled.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([rows.size, settled.mock.calls.length]).toEqual([0, 1]);
    leasedStore({ ...table, release: () => new Promise(nothing) }, options)
      .once('b', failing)
      .catch(settled);
    await vi.advanceTimersByTimeAsync(99);
    expect(settled).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledTimes(2);
  });

  it('says what was too slow', async () => {
    const slow = leasedStore(fakeTable({ claim: () => new Promise(nothing) }).table, options).once('a', nothing);
    const unrecorded = leasedStore(fakeTable({ complete: () => new Promise(nothing) }).table, options).once(
      'a',
      nothing,
    );
    const told = Promise.all([slow, unrecorded].map((each) => each.catch(({ message }) => message)));
    await vi.advanceTimersByTimeAsync(100);
    expect(await told).toEqual([
      'The server did not answer in time (timeoutMs; for a claim also a tenth of leaseMs).',
      'The server did not answer within 100 ms (timeoutMs).',
    ]);
  });

  it.each(['leaseMs', 'retentionMs', 'timeoutMs'])('refuses %s unless it is a positive number', (name) => {
    for (const value of [0, -1, Number.NaN, '60000']) {
      expect(() => resolveLeaseOptions({ [name]: value })).toThrow(
        expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
      );
    }
  });
});
