import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Claim, type LeaseTable, leasedStore, resolveLeaseOptions } from '../../src/stores/leased-store.js';
import type { RunOptions } from '../../src/stores/store.js';
import { failing, nothing } from '../contracts/store-helpers.js';
import { deferred } from '../helpers.js';
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
  const { claim, complete, release } = { ...right, ...wrong };
  const table: LeaseTable = {
    claim(...args) {
      calls.push(`claim ${args[0]}`);
      return claim(...args);
    },
    complete(...args) {
      calls.push(`complete ${args[0]}`);
      return complete(...args);
    },
    release(...args) {
      calls.push(`release ${args[0]}`);
      return release(...args);
    },
  };
  return { rows, right, calls, store: leasedStore(table, options) };
}

describe('leasedStore with several keys', () => {
  it('makes one call for all of them at each step', async () => {
    const { store, calls, rows } = noted();
    expect(await store.onceEach(keys, nothing)).toEqual(['handled', 'handled', 'handled']);
    expect(calls).toEqual(['claim c,a,b', 'complete c,a,b']);
    await expect(store.onceEach(['d', 'a', 'e'], failing)).rejects.toThrow('the run failed');
    expect(calls.slice(2)).toEqual(['claim d,a,e', 'release d,a,e']);
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
    const run = async (_fresh: readonly string[], _tx: unknown, { fencingToken }: RunOptions = {}) => {
      tokens.push(fencingToken);
    };
    await noted({ claim }).store.onceEach(keys, run);
    expect(tokens).toEqual([7n]);
  });

  it('fails when one of the keys was taken over, after the others were recorded', async () => {
    const { store, rows } = noted();
    const taking = store.onceEach(keys, async () => {
      rows.set('a', { owner: 'another', done: false });
    });
    await expect(taking).rejects.toThrow(/another run has taken over/);
    expect(keys.map((key) => rows.get(key)?.done)).toEqual([true, false, true]);
    expect(store.unrecorded()).toEqual([]);
  });

  it('retries the record of all its keys, and runs none of them in the meantime', async () => {
    let isDown = true;
    const { right, rows } = fakeTable();
    const complete: LeaseTable['complete'] = (each, owner) =>
      isDown ? Promise.reject(new Error('down')) : right.complete(each, owner);
    const store = leasedStore({ ...right, complete }, options);
    const first = expect(store.onceEach(keys, nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await first;
    expect(store.unrecorded()).toHaveLength(1);
    rows.clear(); // The server has lost them.
    const again = expect(store.onceEach(keys, failing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(100);
    await again;
    isDown = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.unrecorded()).toEqual([]);
    expect(await store.onceEach(keys, failing)).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  it('runs the others while the record of one is pending, and answers for it afterwards', async () => {
    for (const way of ['recorded', 'late']) {
      const gate = deferred();
      const { right } = fakeTable();
      const complete: LeaseTable['complete'] = async (each, owner) => {
        if (each.includes('a')) await gate.promise;
        return right.complete(each, owner);
      };
      const store = leasedStore({ ...right, complete }, options);
      store.once('a', nothing).catch(nothing);
      await vi.advanceTimersByTimeAsync(0);
      const run = vi.fn(async (_fresh: readonly string[]) => {});
      const second = store.onceEach(keys, run);
      await vi.advanceTimersByTimeAsync(0);
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([['c', 'b']]);
      if (way === 'recorded') gate.resolve();
      await vi.advanceTimersByTimeAsync(100);
      expect(await second).toEqual(['handled', way === 'recorded' ? 'duplicate' : 'in-progress', 'handled']);
      gate.resolve();
      await vi.advanceTimersByTimeAsync(0);
    }
  });

  it('claims nothing while the records of all are pending', async () => {
    const { store, calls } = noted({ complete: () => new Promise(nothing) });
    const taking = [store.onceEach(keys, nothing), store.onceEach(keys, failing)].map((each) => each.catch(nothing));
    await vi.advanceTimersByTimeAsync(0);
    taking.push(store.onceEach(['b', 'a'], failing).catch(nothing));
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(taking);
    expect(calls.filter((call) => call.startsWith('claim'))).toEqual(['claim c,a,b', 'claim c,a,b']);
  });
});
