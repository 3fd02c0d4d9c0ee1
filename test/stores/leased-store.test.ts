import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LeaseTable, resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { DELIVERY } from '../../src/stores/store.js';
import { deferred } from '../helpers.js';
import { once } from './calls.js';
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

describe('storeOfLeases', () => {
  it('fails without a run if a claim is answered late, and releases that claim', async () => {
    const late = deferred();
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await late.promise;
      return right.claim(keys, owner, DELIVERY);
    };
    const slow = storeOfLeases({ ...table, claim }, options);
    let runs = 0;
    const taking = once(slow, 'a', async () => void runs++);
    const refused = expect(taking).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(0);
    expect(rows.size).toBe(0);
    expect(await once(storeOfLeases(table, options), 'a', nothing)).toBe('handled');
  });

  it('does not release a key after a late answer that another run has it', async () => {
    const late = deferred<void>();
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await late.promise;
      return right.claim(keys, owner, DELIVERY);
    };
    const refused = expect(once(storeOfLeases({ ...table, claim }, options), 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    await right.claim(['a'], 'another', DELIVERY);
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(rows.get('a')).toEqual({ owner: 'another', done: false });
  });

  it('releases a claim whose answer was lost before it fails, because the server may have made it', async () => {
    const { rows, table, right } = fakeTable();
    const claim: LeaseTable['claim'] = async (keys, owner) => {
      await right.claim(keys, owner, DELIVERY);
      throw new Error('the connection was cut');
    };
    const release: LeaseTable['release'] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return right.release(...args);
    };
    const store = storeOfLeases({ ...table, claim, release }, options);
    const left = once(store, 'a', nothing).catch(({ message }) => [message, rows.size]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await left).toEqual(['the connection was cut', 0]);
  });

  it('rethrows the error of a claim, without a run', async () => {
    const down = new Error('connection refused');
    const store = storeOfLeases(fakeTable({ claim: () => Promise.reject(down) }).table, options);
    const run = vi.fn(nothing);
    await expect(once(store, 'a', run)).rejects.toBe(down);
    expect(run).not.toHaveBeenCalled();
  });

  it('records after an outage shorter than timeoutMs without an error', async () => {
    const { table, right } = fakeTable();
    let down = 2;
    const record: LeaseTable['record'] = async (keys, owner) => {
      if (down-- > 0) throw new Error('connection lost');
      return right.record(keys, owner);
    };
    const taking = once(storeOfLeases({ ...table, record }, options), 'a', nothing);
    await vi.advanceTimersByTimeAsync(99);
    expect(await taking).toBe('handled');
  });

  it('keeps retrying a record after the delivery failed, and does not run its key in the meantime', async () => {
    const { rows, table, right } = fakeTable();
    let down = true;
    const record: LeaseTable['record'] = async (keys, owner) => {
      if (down) throw new Error('connection lost');
      return right.record(keys, owner);
    };
    const store = storeOfLeases({ ...table, record }, options);
    const run = vi.fn(nothing);
    const first = expect(once(store, 'a', run)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await first;

    // The server has lost all that was in it: only this process still knows.
    rows.clear();
    const second = expect(once(store, 'a', run)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await second;
    down = false;
    await vi.advanceTimersByTimeAsync(5000);

    expect(await once(store, 'a', run)).toBe('duplicate');
    expect(await once(storeOfLeases(table, options), 'a', run)).toBe('duplicate');
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('lets a duplicate wait for a pending record', async () => {
    const { table, right } = fakeTable();
    const gate = deferred();
    const record: LeaseTable['record'] = async (keys, owner) => {
      await gate.promise;
      return right.record(keys, owner);
    };
    const store = storeOfLeases({ ...table, record }, options);
    const first = once(store, 'a', nothing);
    await vi.advanceTimersByTimeAsync(1);
    const second = once(store, 'a', failing);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual(['handled', 'duplicate']);
  });

  it('says what to change when another run took over the key', async () => {
    const store = storeOfLeases(fakeTable({ record: async () => new Set<string>() }).table, options);
    await expect(once(store, 'a', nothing)).rejects.toThrow(
      'Another run has taken over the key, so the event may take effect twice: this run took longer than its lease of 60000 ms (increase leaseMs), or the store has lost its keys.',
    );
  });

  it('remembers keys since the retention', () => {
    vi.setSystemTime(1_000_000);
    const { table } = fakeTable();
    expect(storeOfLeases(table, { ...options, retentionMs: 1000 }).rememberedSince()).toBe(999_000);
  });

  it('waits for the release of a failed run, but no longer than timeoutMs', async () => {
    const { rows, table, right } = fakeTable();
    const release: LeaseTable['release'] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return right.release(...args);
    };
    const settled = vi.fn();
    once(storeOfLeases({ ...table, release }, options), 'a', failing).catch(settled);
    await vi.advanceTimersByTimeAsync(59);
    expect([rows.size, settled.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([rows.size, settled.mock.calls.length]).toEqual([0, 1]);
    once(storeOfLeases({ ...table, release: () => new Promise(nothing) }, options), 'b', failing).catch(settled);
    await vi.advanceTimersByTimeAsync(99);
    expect(settled).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledTimes(2);
  });

  it('says what was too slow', async () => {
    const slow = once(storeOfLeases(fakeTable({ claim: () => new Promise(nothing) }).table, options), 'a', nothing);
    const unrecorded = once(
      storeOfLeases(fakeTable({ record: () => new Promise(nothing) }).table, options),
      'a',
      nothing,
    );
    const told = Promise.all([slow, unrecorded].map((each) => each.catch(({ message }) => message)));
    await vi.advanceTimersByTimeAsync(100);
    expect(await told).toEqual([
      'The server did not answer within 100 ms (timeoutMs).',
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
