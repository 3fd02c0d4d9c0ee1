import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveLeaseOptions, storeOfLeases } from '../../src/stores/leased-store.js';
import { nothing } from '../contracts/store-helpers.js';
import { never } from '../helpers.js';
import { once } from './calls.js';
import { fakeTable, store503 } from './fake-table.js';

const timeoutMs = 100;
const options = resolveLeaseOptions({ timeoutMs });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a record that fails', () => {
  it('is retried after pauses that double from 25 ms to 5 s', async () => {
    const pauses: number[] = [];
    let last = Date.now();
    const record = () => {
      pauses.push(Date.now() - last);
      last = Date.now();
      return Promise.reject(new Error('down'));
    };
    void once(storeOfLeases(fakeTable({ record }).table, options), 'a', nothing).catch(() => {});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(pauses).toEqual([0, 25, 50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('is retried with pauses for the length of the retention, even if tries never settle', async () => {
    const retentionMs = 60_000;
    let tries = 0;
    const record = () => {
      tries++;
      return never();
    };
    const store = storeOfLeases(fakeTable({ record }).table, { ...options, retentionMs });
    const refused = expect(once(store, 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    await refused;
    await vi.advanceTimersByTimeAsync(30_000);
    const [pending] = store.unrecorded?.() ?? [];
    const given = expect(pending).rejects.toEqual(store503);
    expect(tries).toBeGreaterThan(8);
    await vi.advanceTimersByTimeAsync(40_000);
    await given;
    expect(store.unrecorded?.()).toEqual([]);
    expect(tries).toBeLessThan(30);
    const before = tries;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(tries).toBe(before);
  });

  it('is retried once for each try, even if one fails after it counted as late', async () => {
    const times: number[] = [];
    const start = Date.now();
    const record = async () => {
      times.push(Date.now() - start);
      await new Promise((resolve) => setTimeout(resolve, timeoutMs + 10));
      throw new Error('down');
    };
    void once(storeOfLeases(fakeTable({ record }).table, options), 'a', nothing).catch(() => {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(times).toEqual([0, 125, 275, 475, 775]);
  });

  it('is tried for as long as the retention, and fails with the try after that', async () => {
    const times: number[] = [];
    const start = Date.now();
    const record = async () => {
      times.push(Date.now() - start);
      throw new Error('gone for good');
    };
    const store = storeOfLeases(fakeTable({ record }).table, { ...options, timeoutMs: 1000, retentionMs: 75 });
    const result = vi.fn();
    once(store, 'a', nothing).catch(({ message }) => result(message));
    await vi.advanceTimersByTimeAsync(174);
    expect(result).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(result).toHaveBeenCalledWith('gone for good');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times).toEqual([0, 25, 75, 175]);
  });

  it('fails once the retention is over if its tries rejected without an error', async () => {
    const record = () => Promise.reject();
    const store = storeOfLeases(fakeTable({ record }).table, { ...options, retentionMs: 20 });
    const refused = expect(once(store, 'a', nothing)).rejects.toEqual(store503);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    await refused;
    expect(store.unrecorded?.()).toEqual([]);
  });
});
