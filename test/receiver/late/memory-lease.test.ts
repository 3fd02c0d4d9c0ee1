import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../src/index.js';
import { deferred } from '../../helpers.js';

/** A store with a clock that the test moves, and runs that end when it says so. */
function opened(leaseMs = 1000) {
  let time = 0;
  const store = memoryStore({ leaseMs, now: () => time });
  const hold = (key: string) => {
    const end = deferred();
    return { end, result: store.once(key, () => end.promise) };
  };
  return {
    store,
    hold,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const nothing = async () => {};
const failing = () => Promise.reject(new Error('the run failed'));
const lost = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('Increase leaseMs') };

describe('the leases of memoryStore', () => {
  it('let another take over once they are over, and not before', async () => {
    const { store, hold, pass } = opened();
    const first = hold('a');
    pass(999);
    const waiting = store.once('a', failing);
    pass(1);
    expect(await store.once('a', nothing)).toBe('handled');
    expect(await store.once('a', failing)).toBe('duplicate');
    first.end.resolve();
    await expect(first.result).rejects.toMatchObject(lost);
    expect(await waiting).toBe('in-progress');
  });

  it('let who lost its lease neither record nor free what another holds', async () => {
    const { store, hold, pass } = opened();
    const first = hold('a');
    pass(1000);
    const taker = hold('a');
    first.end.reject(new Error('late'));
    await expect(first.result).rejects.toThrow('late');
    const waiting = store.once('a', failing);
    taker.end.resolve();
    expect(await taker.result).toBe('handled');
    expect(await waiting).toBe('duplicate');
  });

  it('let a run that was late record what nobody has taken over', async () => {
    const { store, hold, pass } = opened();
    const first = hold('a');
    pass(5000);
    first.end.resolve();
    expect(await first.result).toBe('handled');
    expect(await store.once('a', failing)).toBe('duplicate');
  });

  it('let a late run record after the one that took over has failed', async () => {
    const { store, hold, pass } = opened();
    const first = hold('a');
    pass(1000);
    await expect(store.once('a', failing)).rejects.toThrow('the run failed');
    first.end.resolve();
    expect(await first.result).toBe('handled');
    expect(await store.once('a', failing)).toBe('duplicate');
  });

  it('let a late run record although one that took over hangs beyond its own lease', async () => {
    const { store, hold, pass } = opened();
    const first = hold('a');
    pass(1000);
    const second = hold('a');
    pass(1000);
    first.end.resolve();
    expect(await first.result).toBe('handled');
    expect(await store.once('a', failing)).toBe('duplicate');
    second.end.resolve();
    await expect(second.result).rejects.toMatchObject(lost);
  });

  it('are not ended by a wall clock that is set forwards', async () => {
    const store = memoryStore();
    const end = deferred();
    const first = store.once('a', () => end.promise);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
    const second = store.once('a', failing);
    now.mockRestore();
    end.resolve();
    expect(await Promise.all([first, second])).toEqual(['handled', 'duplicate']);
  });

  it('tell who waits that the time of the run is up', async () => {
    const { store } = opened();
    const end = deferred();
    let expire = () => {};
    const first = store.once('a', (_tx, options) => {
      expire = () => options?.onTimeout?.(new Error('late'));
      return end.promise;
    });
    const waiting = store.once('a', failing);
    expire();
    expect(await waiting).toBe('in-progress');
    expect(await store.once('a', failing)).toBe('in-progress');
    end.resolve();
    expect(await first).toBe('handled');
    expect(await store.once('a', failing)).toBe('duplicate');
  });

  it.each([0, -1, Number.NaN, '1000'])('are no %s ms long', (leaseMs) => {
    expect(() => memoryStore({ leaseMs: leaseMs as number })).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }),
    );
  });
});
