import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IdempotencyStore, RunOptions } from '../../src/index.js';
import { deferred } from '../helpers.js';
import type { StoreTarget, StoreTraits } from './store.js';
import { eventually, failing, nothing, unique } from './store-helpers.js';

/** The contract of a store that cannot roll back an effect, for a run that continues after its timeout. */
export function describeLateRuns(title: string, traits: StoreTraits, target: () => StoreTarget): void {
  /** A run that times out as soon as it has started. */
  async function startLate(store: IdempotencyStore<unknown>, key: string, end: Promise<void>) {
    const running = deferred();
    const result = store.once(key, (_tx, options?: RunOptions) => {
      options?.onTimeout?.(new Error('The time is up.'));
      running.resolve();
      return end;
    });
    result.catch(() => {}); // Looked at by the test.
    await Promise.race([running.promise, result]);
    return { result };
  }

  describe(`${title}, when a run is late`, () => {
    it.each(['succeeds', 'fails'])('keeps its key until it settles, and records the outcome: it %s', async (way) => {
      const store = await target().open();
      const other = traits.shared ? await target().open() : store;
      const key = unique();
      const end = deferred();
      const { result } = await startLate(store, key, end.promise);
      for (const each of [other, store]) expect(await each.once(key, failing)).toBe('in-progress');
      if (way === 'succeeds') {
        end.resolve();
        expect(await result).toBe('handled');
        expect(await other.once(key, failing)).toBe('duplicate');
      } else {
        end.reject(new Error('failed late'));
        await expect(result).rejects.toThrow('failed late');
        expect(await other.once(key, nothing)).toBe('handled');
      }
    });
  });
}

const HOUR = 3_600_000;

/** The contract of a lease store whose process freezes, or whose clock is set, during a claim. */
export function describeFreezes(title: string, target: () => StoreTarget): void {
  /** Advances the clocks but not timers and sockets, like a freeze. */
  function step({ monotonic = 0, wall = 0 }) {
    const [now, wallNow] = [performance.now.bind(performance), Date.now];
    const spies = [
      vi.spyOn(performance, 'now').mockImplementation(() => now() + monotonic),
      vi.spyOn(Date, 'now').mockImplementation(() => wallNow() + wall),
    ];
    const restore = () => {
      for (const spy of spies) spy.mockRestore();
    };
    onTestFinished(restore);
    return restore;
  }

  describe(`${title}, when it is frozen while it claims`, () => {
    it.each([
      ['on both clocks', { monotonic: HOUR, wall: HOUR }],
      ['on the monotonic clock', { monotonic: HOUR, wall: -HOUR }],
      ['on the wall clock', { wall: HOUR }],
    ])('starts no run after its lease %s, and gives the key back', async (_, clocks) => {
      const [store, other] = [await target().open(), await target().open()];
      await store.once(unique(), nothing);
      const key = unique();
      const run = vi.fn(nothing);
      const taking = store.once(key, run);
      expect(run).not.toHaveBeenCalled();
      const restore = step(clocks);
      await expect(taking).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      restore();
      expect(run).not.toHaveBeenCalled();
      await eventually(async () => expect(await other.once(key, nothing)).toBe('handled'));
    });

    it('runs if the wall clock is set back in the meantime', async () => {
      const store = await target().open();
      const taking = store.once(unique(), nothing);
      step({ wall: -HOUR });
      expect(await taking).toBe('handled');
    });
  });
}
