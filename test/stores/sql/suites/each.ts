import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { type ClientSettings, countOf, type Run, type SqlClient, type SqlServer, write } from '../client.js';

/** `onceEach` in a transaction of a client. */
export function describeEach(client: SqlClient, { open: openClient }: SqlServer): void {
  const open = (settings?: ClientSettings) => openClient(client, settings);
  const writeAll = (fresh: readonly string[], tx: Run) =>
    tx(`INSERT INTO effects VALUES ${fresh.map((id) => `('${id}')`).join(', ')}`).then(nothing);

  describe(`${client.title}, onceEach`, () => {
    it('runs once with the keys that nobody has, in their order, and commits them together', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [one, two, three, four] = [`b${unique()}`, `a${unique()}`, `d${unique()}`, `c${unique()}`];
      await store.once(three, nothing);
      const seen: (readonly string[])[] = [];
      const words = await store.onceEach?.([one, two, three, four], async (fresh, tx) => {
        seen.push(fresh);
        await writeAll(fresh, tx);
      });
      expect(words).toEqual(['handled', 'handled', 'duplicate', 'handled']);
      expect(seen).toEqual([[one, two, four]]);
      for (const id of [one, two, four]) expect(await countOf(opened, id)).toBe(1);
      expect(await store.onceEach?.([four, one], failing)).toEqual(['duplicate', 'duplicate']);
    });

    it('commits none if the handler fails', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const keys = [unique(), unique()];
      const run = async (fresh: readonly string[], tx: Run) => {
        await writeAll(fresh, tx);
        await failing();
      };
      await expect(store.onceEach?.(keys, run)).rejects.toThrow('the run failed');
      for (const id of keys) expect(await countOf(opened, id)).toBe(0);
      expect(await store.onceEach?.(keys, writeAll)).toEqual(['handled', 'handled']);
    });

    it('takes any number of keys at once', async () => {
      const opened = await open();
      const keys = Array.from({ length: 1500 }, unique);
      const store = opened.transactional();
      const words = await store.onceEach?.(keys, async (fresh, tx) => {
        expect(fresh).toEqual(keys);
        await write(keys[0] as string)(tx);
      });
      expect(new Set(words)).toEqual(new Set(['handled']));
      expect(new Set(await store.onceEach?.(keys, failing))).toEqual(new Set(['duplicate']));
    });

    // SQLite has one writer at a time.
    if (client.dialect !== 'sqlite')
      it('never waits for a key that another run has claimed, nor does it deadlock in another order', async () => {
        const opened = await open();
        const store = opened.transactional({ timeoutMs: 10_000 });
        const [one, two, three] = [unique(), unique(), unique()];
        const [running, gate] = [deferred(), deferred()];
        const first = store.onceEach?.([one, two], async (fresh, tx) => {
          await writeAll(fresh, tx);
          running.resolve();
          await gate.promise;
        });
        await running.promise;
        const start = performance.now();
        expect(await store.onceEach?.([three, two, one], writeAll)).toEqual(['handled', 'in-progress', 'in-progress']);
        expect(performance.now() - start).toBeLessThan(2000);
        gate.resolve();
        expect(await first).toEqual(['handled', 'handled']);
      });

    it('handles each key once when overlapping deliveries arrive in all orders at the same time', async () => {
      const opened = await open();
      const store = opened.transactional({ timeoutMs: 20_000 });
      const keys = Array.from({ length: 30 }, unique);
      const orders = [keys, keys.toReversed(), keys.filter((_, i) => i % 2), keys.filter((_, i) => i % 3).toReversed()];
      await eventually(async () => {
        const words = await Promise.all([...orders, ...orders].map((order) => store.onceEach?.(order, writeAll)));
        expect(words.flat().every((word) => word === 'duplicate')).toBe(true);
      }, 20_000);
      for (const id of keys) expect(await countOf(opened, id)).toBe(1);
    }, 40_000);
  });
}
