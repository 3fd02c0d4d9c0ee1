import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Claim, type LeaseTable, resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { failing, nothing } from '../contracts/store-helpers.js';
import { deferred } from '../helpers.js';
import { once, onceEach, type RunUses } from './calls.js';
import { fakeTable } from './fake-table.js';

const options = resolveLeaseOptions({ timeoutMs: 100 });
const store503 = expect.objectContaining({ code: 'ERR_WEBHOOK_STORE', status: 503 });
const keys = ['c', 'a', 'b'];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

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

  it.each<[string, Claim, Claim]>([
    ['first', 7n, 9n],
    ['last', 9n, 7n],
  ])('gives the run the smallest of the tokens, which comes %s', async (_, one, other) => {
    const claim = async () =>
      new Map<string, Claim>([
        ['b', 'duplicate'],
        ['a', one],
        ['c', other],
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
    expect(await onceEach(store, keys, failing)).toEqual(['duplicate', 'duplicate', 'duplicate']);
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
