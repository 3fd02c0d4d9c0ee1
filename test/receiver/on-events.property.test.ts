import { describe, expect, it } from 'vitest';
import type { EventEntry, IdempotencyStore, StoreWord } from '../../src/index.js';
import { fc } from '../fixtures/property.js';
import { event, noting, signed } from '../helpers.js';

/** A transaction: what its handler wrote. */
type Effects = string[];

/** A transactional store in memory that waits, conflicts and fails when `next` says so. */
function flakyStore(next: () => number) {
  const done = new Set<string>();
  const held = new Set<string>();
  const effects: Effects = [];
  const pause = async () => {
    for (let turns = next() % 3; turns > 0; turns--) await undefined;
  };

  const onceEach: NonNullable<IdempotencyStore<Effects>['onceEach']> = async (keys, run) => {
    for (;;) {
      await pause();
      const words = keys.map(
        (key): StoreWord => (done.has(key) ? 'duplicate' : held.has(key) ? 'in-progress' : 'handled'),
      );
      const fresh = keys.filter((_, index) => words[index] === 'handled');
      if (fresh.length === 0) return words;
      for (const key of fresh) held.add(key);
      const tx: Effects = [];
      try {
        await run(fresh, tx);
        await pause();
        const fate = next() % 8;
        if (fate === 0) continue; // A conflict.
        if (fate === 1) throw new Error('The commit failed.');
        effects.push(...tx);
        for (const key of fresh) done.add(key);
        if (fate === 2) throw new Error('The answer to the commit was lost.');
        return words;
      } finally {
        for (const key of fresh) held.delete(key);
      }
    }
  };

  const store: IdempotencyStore<Effects> = {
    transactional: true,
    onceEach,
    async once(key, run) {
      const [word] = await onceEach([key], (_, tx, options) => run(tx, options));
      return word as StoreWord;
    },
  };
  return { store, effects };
}

describe('onEvents over a transactional store', () => {
  it('lets every event take effect once, and acknowledges nothing before, whatever fails', async () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 8 });
    const check = async (deliveries: string[][], seed: number, bad: string) => {
      let state = seed;
      let isBroken = true;
      const next = () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return isBroken ? state >>> 16 : 3;
      };
      const { store, effects } = flakyStore(next);
      const onEvents = async (entries: readonly EventEntry[], { tx }: { tx: Effects }) => {
        for (const entry of entries) {
          if (next() % 2 === 0) await undefined;
          if (isBroken && entry.event.id === bad) throw new Error('It cannot be handled.');
          tx.push(entry.event.id);
        }
      };
      const receivers = [noting({ store, onEvents }), noting({ store, onEvents })];
      const deliver = async (each: string[], index: number) => {
        const result = await receivers[index % 2]?.receiver.handle(signed(each.map((id) => event(id))));
        for (const [place, outcome] of (result?.outcomes ?? []).entries()) {
          if (outcome.error === undefined) expect(effects).toContain(each[place]);
        }
        if (each.includes(bad) && isBroken) expect(result?.status).not.toBe(200);
        return result?.status;
      };
      await Promise.all(deliveries.map(deliver));
      isBroken = false;
      for (const [index, each] of deliveries.entries()) {
        expect(await deliver(each, index)).toBe(200);
      }
      expect(effects.toSorted()).toEqual([...new Set(deliveries.flat())].sort());
    };
    const all = fc.array(ids, { minLength: 1, maxLength: 5 });
    await fc.assert(fc.asyncProperty(all, fc.nat(), fc.constantFrom('a', 'x'), check), { numRuns: 100 });
  });
});
