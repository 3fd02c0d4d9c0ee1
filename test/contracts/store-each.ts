import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IdempotencyStore, RunOptions, StoreWord } from '../../src/index.js';
import { deferred } from '../helpers.js';
import type { StoreSettings, StoreTarget, StoreTraits } from './store.js';
import { eventually, failing, hostileKeys, nothing, unique } from './store-helpers.js';

type RunEach = (fresh: readonly string[], tx: unknown, options?: RunOptions) => Promise<void>;

function onceEach(store: IdempotencyStore<unknown>, keys: readonly string[], run: RunEach) {
  if (!store.onceEach) throw new Error('The store has no onceEach.');
  return store.onceEach(keys, run);
}

const words = (keys: readonly string[], word: StoreWord) => keys.map(() => word);
const uniques = (count: number) => Array.from({ length: count }, unique);

/** The contract of `onceEach`, for every store that has it. */
export function describeOnceEach(title: string, traits: StoreTraits, target: () => StoreTarget): void {
  const openTwo = async (settings?: StoreSettings) => {
    const first = await target().open(settings);
    return [first, traits.shared ? await target().open(settings) : first] as const;
  };

  /** Claims keys for a run that lasts until `end`. Resolves once it runs. */
  async function holdKeys(store: IdempotencyStore<unknown>, keys: readonly string[], end: Promise<void>, late = false) {
    const running = deferred();
    const result = onceEach(store, keys, (_fresh, _tx, options) => {
      if (late) options?.onTimeout?.(new Error('The time is up.'));
      running.resolve();
      return end;
    });
    result.catch(nothing); // Looked at by the test.
    await Promise.race([running.promise, result]);
    return { result };
  }

  describe(`${title}, with several keys at once`, () => {
    it('runs once with all keys, in their order', async () => {
      const [store, other] = await openTwo();
      const keys = uniques(20);
      const run = vi.fn(async (_fresh: readonly string[]) => {});
      expect(await onceEach(store, keys, run)).toEqual(words(keys, 'handled'));
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([keys]);
      expect(await onceEach(other, keys.toReversed(), failing)).toEqual(words(keys, 'duplicate'));
      expect(await other.once(keys[7] as string, failing)).toBe('duplicate');
    });

    it('runs with those keys alone that have not taken effect', async () => {
      const [store, other] = await openTwo();
      const [a, b, c, d] = uniques(4) as [string, string, string, string];
      await store.once(b, nothing);
      await onceEach(store, [d], nothing);
      const run = vi.fn(async (_fresh: readonly string[]) => {});
      expect(await onceEach(other, [d, c, b, a], run)).toEqual(['duplicate', 'handled', 'duplicate', 'handled']);
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([[c, a]]);
    });

    it('frees all keys when the run fails', async () => {
      const [store, other] = await openTwo();
      const keys = uniques(5);
      await expect(onceEach(store, keys, failing)).rejects.toThrow('the run failed');
      const throwing = () => {
        throw new Error('at once');
      };
      await expect(onceEach(other, keys, throwing)).rejects.toThrow('at once');
      expect(await other.once(keys[0] as string, nothing)).toBe('handled');
      expect(await onceEach(store, keys, nothing)).toEqual(['duplicate', ...words(keys.slice(1), 'handled')]);
    });

    it('runs with the free keys while others are held', async () => {
      const [store, other] = await openTwo();
      const [a, b, c, d] = uniques(4) as [string, string, string, string];
      const gate = deferred();
      const { result: first } = await holdKeys(store, [b, a], gate.promise);
      const { promise: began, resolve: begin } = deferred();
      const run = vi.fn(async (_fresh: readonly string[]) => begin());
      const second = onceEach(other, [d, a, c, b], run);
      await Promise.race([began, second]);
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([[d, c]]);
      if (traits.meanwhile === 'in-progress') {
        expect(await second).toEqual(['handled', 'in-progress', 'handled', 'in-progress']);
        expect(await onceEach(other, [a, b], failing)).toEqual(['in-progress', 'in-progress']);
      }
      gate.resolve();
      expect(await first).toEqual(['handled', 'handled']);
      if (traits.meanwhile === 'waits') expect(await second).toEqual(['handled', 'duplicate', 'handled', 'duplicate']);
      expect(await onceEach(other, [a, b, c, d], failing)).toEqual(words([a, b, c, d], 'duplicate'));
    });

    it('runs no key twice in overlapping deliveries, whatever their order, and never waits for ever', async () => {
      const [store, other] = await openTwo();
      const keys = uniques(30);
      const effects: string[] = [];
      const run = async (fresh: readonly string[]) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        effects.push(...fresh);
      };
      const deliveries = Array.from({ length: 12 }, (_, index) => {
        const part = [...keys.slice(index), ...keys.slice(0, index)].slice(0, 20);
        return index % 2 ? part.toReversed() : part;
      });
      await Promise.all(
        deliveries.map((delivery, index) =>
          eventually(async () => {
            const answer = await onceEach(index % 3 ? store : other, delivery, run);
            expect(answer).not.toContain('in-progress');
          }, 20_000),
        ),
      );
      expect(effects.toSorted()).toEqual(keys.toSorted());
    }, 30_000);

    it('accepts any keys, and confuses no two of them', async () => {
      const [store, other] = await openTwo();
      const prefix = unique();
      const keys = [...hostileKeys.map((key) => prefix + key), ...hostileKeys.map((key) => key + prefix)];
      const run = vi.fn(async (_fresh: readonly string[]) => {});
      expect(await onceEach(store, keys, run)).toEqual(words(keys, 'handled'));
      expect(run.mock.calls.map(([fresh]) => fresh)).toEqual([keys]);
      expect(await onceEach(other, keys, failing)).toEqual(words(keys, 'duplicate'));
    });

    it('takes a thousand keys', async () => {
      const [store, other] = await openTwo();
      const keys = uniques(1000);
      expect(await onceEach(store, keys.slice(0, 500), nothing)).toEqual(words(keys.slice(0, 500), 'handled'));
      const expected = [...words(keys.slice(0, 500), 'duplicate'), ...words(keys.slice(500), 'handled')];
      expect(await onceEach(other, keys, nothing)).toEqual(expected);
    });
  });

  // A shared store without leases has transactions: it rolls back late runs.
  if (traits.leases || !traits.shared) {
    describe(`${title}, when a run with several keys is late`, () => {
      it.each(['succeeds', 'fails'])('keeps its keys until it settles, and records the outcome: it %s', async (way) => {
        const [store, other] = await openTwo();
        const keys = uniques(3);
        const end = deferred();
        const { result } = await holdKeys(store, keys, end.promise, true);
        expect(await onceEach(other, keys, failing)).toEqual(words(keys, 'in-progress'));
        if (way === 'succeeds') {
          end.resolve();
          expect(await result).toEqual(words(keys, 'handled'));
          expect(await onceEach(other, keys, failing)).toEqual(words(keys, 'duplicate'));
        } else {
          end.reject(new Error('failed late'));
          await expect(result).rejects.toThrow('failed late');
          expect(await onceEach(other, keys, nothing)).toEqual(words(keys, 'handled'));
        }
      });
    });
  }
  if (!traits.leases) return;
  describe(`${title}, when the lease of several keys is over`, () => {
    const leaseMs = 300;

    it('lets another run take over, and records none of its keys for the first', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const [a, b, c] = uniques(3) as [string, string, string];
      const [late, current] = [deferred(), deferred()];
      onTestFinished(() => current.resolve());
      const { result: completing } = await holdKeys(store, [a, b], late.promise);
      await target().passTime(leaseMs + 50);
      const { result: holding } = await holdKeys(other, [b, c], current.promise);
      late.resolve();
      await expect(completing).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      // What nobody has taken over is recorded.
      expect(await onceEach(store, [a], failing)).toEqual(['duplicate']);
      current.resolve();
      expect(await holding).toEqual(['handled', 'handled']);
      expect(await onceEach(store, [a, b, c], failing)).toEqual(words([a, b, c], 'duplicate'));
    });

    it('frees none of the keys that another run has taken over', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const [a, b] = uniques(2) as [string, string];
      const [late, current] = [deferred(), deferred()];
      const { result: failingLate } = await holdKeys(store, [a, b], late.promise);
      await target().passTime(leaseMs + 50);
      const { result: holding } = await holdKeys(other, [b], current.promise);
      late.reject(new Error('failed late'));
      await expect(failingLate).rejects.toThrow('failed late');
      if (traits.meanwhile === 'in-progress') expect(await store.once(b, failing)).toBe('in-progress');
      current.resolve();
      expect(await holding).toEqual(['handled']);
      expect(await onceEach(store, [b, a], nothing)).toEqual(['duplicate', 'handled']);
    });
  });
}
