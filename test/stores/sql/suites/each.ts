import { describe, expect, it } from 'vitest';
import { failing, unique } from '../../../contracts/store-helpers.js';
import { once, onceEach } from '../../calls.js';
import { countOf, type Run, type SqlClient, type SqlServer, write } from '../client.js';

/** `onceEach` in a transaction of a client, as far as the contract leaves it open. */
export function describeEach(client: SqlClient, { open }: SqlServer): void {
  describe(`${client.title}, onceEach`, () => {
    it('runs once with the keys that nobody has, in their order, and commits them together, or none', async () => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      const [one, two, three, four] = [`b${unique()}`, `a${unique()}`, `d${unique()}`, `c${unique()}`];
      await once(store, three, write(three));
      const seen: (readonly string[])[] = [];
      const writeAll = async (fresh: readonly string[], tx: Run) => {
        seen.push(fresh);
        for (const id of fresh) await write(id)(tx);
      };
      const failed = onceEach(store, [one, two], (fresh, tx) => writeAll(fresh, tx).then(failing));
      await expect(failed).rejects.toThrow('the run failed');
      for (const id of [one, two]) expect(await countOf(opened, id)).toBe(0);
      const words = await onceEach(store, [one, two, three, four], writeAll);
      expect(words).toEqual(['handled', 'handled', 'duplicate', 'handled']);
      expect(seen).toEqual([
        [one, two],
        [one, two, four],
      ]);
      for (const id of [one, two, three, four]) expect(await countOf(opened, id)).toBe(1);
      expect(await onceEach(store, [four, one], failing)).toEqual(['duplicate', 'duplicate']);
    });

    it('takes any number of keys at once', async () => {
      const keys = Array.from({ length: 1500 }, unique);
      const store = (await open(client)).transactional();
      const words = await onceEach(store, keys, async (fresh) => expect(fresh).toEqual(keys));
      expect(new Set(words)).toEqual(new Set(['handled']));
      expect(new Set(await onceEach(store, keys, failing))).toEqual(new Set(['duplicate']));
    });
  });
}
