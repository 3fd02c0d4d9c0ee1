import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LeaseTable, resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { type ClaimAnswer, DELIVERY } from '../../src/stores/store.js';
import { failing, nothing } from '../contracts/store-helpers.js';
import { deferred } from '../helpers.js';
import { once, onceEach, type RunUses } from './calls.js';
import { fakeTable, store503 } from './fake-table.js';

const options = resolveLeaseOptions({ timeoutMs: 100 });

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

const keys = ['c', 'a', 'b'];

/** A table that notes its calls. */
function noted(wrong: Partial<LeaseTable> = {}) {
  const { rows, right } = fakeTable();
  const calls: string[] = [];
  const { claim, record, release } = { ...right, ...wrong };
  const table: LeaseTable = {
    claim(...args) {
      calls.push(`claim ${args[0]}`);
      return claim(...args);
    },
    record(...args) {
      calls.push(`record ${args[0]}`);
      return record(...args);
    },
    release(...args) {
      calls.push(`release ${args[0]}`);
      return release(...args);
    },
  };
  return { rows, right, calls, store: storeOfLeases(table, options) };
}

describe('storeOfLeases with several keys', () => {
  it('makes one call for all of them at each step', async () => {
    const { store, calls, rows } = noted();
    expect(await onceEach(store, keys, nothing)).toEqual(['handled', 'handled', 'handled']);
    expect(calls).toEqual(['claim c,a,b', 'record c,a,b']);
    await expect(onceEach(store, ['d', 'a', 'e'], failing)).rejects.toThrow('the run failed');
    expect(calls.slice(2)).toEqual(['claim d,a,e', 'release d,e']);
    expect([...rows.keys()]).toEqual(keys);
  });

  it.each<[string, bigint, bigint]>([
    ['first', 7n, 9n],
    ['last', 9n, 7n],
  ])('gives the run the smallest of the tokens, which comes %s', async (_, one, other) => {
    const claim = async () =>
      new Map<string, ClaimAnswer>([
        ['b', 'duplicate'],
        ['a', { token: one }],
        ['c', { token: other }],
      ]);
    const tokens: unknown[] = [];
    const run = async (_fresh: readonly string[], _tx: unknown, { fencingToken }: RunUses) => {
      tokens.push(fencingToken);
    };
    await onceEach(noted({ claim }).store, keys, run);
    expect(tokens).toEqual([7n]);
  });

  it('fails when one of the keys was taken over, after the others were recorded', async () => {
    const { store, rows } = noted();
    const taking = onceEach(store, keys, async () => {
      rows.set('a', { owner: 'another', done: false });
    });
    await expect(taking).rejects.toThrow(/Another run has taken over/);
    expect(keys.map((key) => rows.get(key)?.done)).toEqual([true, false, true]);
    expect(store.unrecorded()).toEqual([]);
  });

  it('retries the record of all its keys, and runs none of them in the meantime', async () => {
    let isDown = true;
    const { right, rows } = fakeTable();
    const record: LeaseTable['record'] = (each, owner) =>
      isDown ? Promise.reject(new Error('down')) : right.record(each, owner);
    const store = storeOfLeases({ ...right, record }, options);
    const first = expect(onceEach(store, keys, nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await first;
    expect(store.unrecorded()).toHaveLength(1);
    rows.clear(); // The server has lost them.
    const again = expect(onceEach(store, keys, failing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await again;
    isDown = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.unrecorded()).toEqual([]);
    for (const each of [store, storeOfLeases(right, options)]) {
      expect(await onceEach(each, keys, failing)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    }
  });

  it('waits for the pending record of one before it runs the others', async () => {
    for (const way of ['recorded', 'late']) {
      const gate = deferred();
      const { right } = fakeTable();
      const record: LeaseTable['record'] = async (each, owner) => {
        if (each.includes('a')) await gate.promise;
        return right.record(each, owner);
      };
      const store = storeOfLeases({ ...right, record }, options);
      once(store, 'a', nothing).catch(nothing);
      await vi.advanceTimersByTimeAsync(0);
      const run = vi.fn(async (_fresh: readonly string[]) => {});
      const second = onceEach(store, keys, run);
      await vi.advanceTimersByTimeAsync(0);
      expect(run).not.toHaveBeenCalled();
      if (way === 'recorded') gate.resolve();
      await vi.advanceTimersByTimeAsync(100);
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([['c', 'b']]);
      expect(await second).toEqual(['handled', way === 'recorded' ? 'duplicate' : 'in-progress', 'handled']);
      gate.resolve();
      await vi.advanceTimersByTimeAsync(0);
    }
  });

  it('claims nothing while the records of all are pending', async () => {
    const { store, calls } = noted({ record: () => new Promise(nothing) });
    const taking = [onceEach(store, keys, nothing), onceEach(store, keys, failing)].map((each) => each.catch(nothing));
    await vi.advanceTimersByTimeAsync(0);
    taking.push(onceEach(store, ['b', 'a'], failing).catch(nothing));
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(taking);
    expect(calls.filter((call) => call.startsWith('claim'))).toEqual(['claim c,a,b', 'claim c,a,b']);
  });
});
