import { describe, expect, it } from 'vitest';
import type { SqlLeaseStore } from '../../../../src/stores/sql/index.js';
import { describeCursor as describeContract } from '../../../contracts/cursor.js';
import { unique } from '../../../contracts/store-helpers.js';
import { ERR_STORE, type SqlClient, type SqlServer } from '../client.js';

/** Cursors in the database of a client. */
export function describeCursor(client: SqlClient, { open }: SqlServer): void {
  describeCursors(client.title, async (settings) => (await open(client)).lease(settings));
}

/** Cursors of stores that are opened on one database. */
export function describeCursors(
  title: string,
  open: (settings?: { table: string }) => Promise<SqlLeaseStore>,
  rounds = 8,
): void {
  describe(`${title}, cursor`, () => {
    describeContract(async () => {
      const [one, two, name] = [await open(), await open(), unique()];
      let turn = 0;
      return { named: () => (turn++ % 2 ? one : two).cursor(name), other: one.cursor(unique()) };
    }, rounds);

    it('takes a text of a megabyte', async () => {
      const cursor = (await open()).cursor(unique());
      const long = JSON.stringify({ retry: 'r'.repeat(1_000_000) });
      expect(await cursor.write(long, undefined)).toBe(true);
      expect(await cursor.read()).toBe(long);
      expect(await cursor.write('short', long)).toBe(true);
      await expect(cursor.write('é'.repeat(1_000_000), 'short')).rejects.toMatchObject(ERR_STORE);
      expect(await cursor.read()).toBe('short');
    });

    it('says what to call when there is no table', async () => {
      const store = await open({ table: 'not_yet_there' });
      await expect(store.cursor('chain').read()).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('The table not_yet_there_cursors does not exist. Call migrate()'),
      });
    });
  });
}
