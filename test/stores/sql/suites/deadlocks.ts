import { describe, expect, it } from 'vitest';
import { eventually, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { once } from '../../calls.js';
import { countOf, type Run, type SqlClient, type SqlServer, write } from '../client.js';

/** Handlers whose statements deadlock. */
export function describeDeadlocks(client: SqlClient, { open: openClient }: SqlServer): void {
  describe(`${client.title}, transactional, when a handler deadlocks`, () => {
    it.each<[string, (update: () => Promise<unknown>, insert: () => Promise<unknown>) => Promise<unknown> | undefined]>(
      [
        ['ignores it', (update, insert) => update().catch(nothing).then(insert)],
        ['sends the next statement before its answer', (update, insert) => Promise.all([update(), insert()])],
        ['awaits nothing', (update, insert) => void Promise.allSettled([update(), insert()])],
      ],
    )('has each effect once: the handler %s', async (title, proceed) => {
      const opened = await openClient(client);
      const table = `balances_${unique().replaceAll('-', '')}`;
      await opened.run(`CREATE TABLE ${table} (id int PRIMARY KEY, n int)`);
      await opened.run(`INSERT INTO ${table} VALUES (1, 0), (2, 0)`);
      const store = opened.transactional();
      const both = deferred();
      let runs = 0;
      const run = (key: string, first: number, second: number) => async (tx: Run) => {
        const update = (id: number) => tx(`UPDATE ${table} SET n = n + 1 WHERE id = ${id}`);
        await update(first);
        if (++runs === 2) both.resolve();
        await both.promise;
        await proceed(
          () => update(second),
          () => write(key)(tx),
        );
      };
      const deliver = (key: string, work: (tx: Run) => Promise<void>) =>
        eventually(async () => expect(['handled', 'duplicate']).toContain(await once(store, key, work)));
      const [a, b] = [unique(), unique()];
      await Promise.all([deliver(a, run(a, 1, 2)), deliver(b, run(b, 2, 1))]);
      const counts = [await countOf(opened, a), await countOf(opened, b)];
      // Some ORMs send a statement later, and what the handler has not awaited is refused then.
      if (title === 'awaits nothing') return expect(Math.max(...counts)).toBeLessThanOrEqual(1);
      expect(counts).toEqual([1, 1]);
      expect(await opened.run(`SELECT n FROM ${table}`)).toMatchObject([{ n: 2 }, { n: 2 }]);
    });
  });
}
