import { describe, expect, it } from 'vitest';
import type { SqlLeaseStore } from '../../../../src/stores/sql/index.js';
import { unique } from '../../../contracts/store-helpers.js';
import { ERR_STORE, type SqlClient, type SqlServer } from '../client.js';

/** Texts that a statement could misread. */
const TEXTS = [
  '',
  ' ',
  'trailing ',
  `{"v":1,"source":"chain:31337","next":12,"retry":[{"block":7,"log":3,"error":"it's \\"bad\\" ?, $1 :a %41"}]}`,
  `'; DROP TABLE effects; --`,
  "a\\b\\'c\0d\n\r\t\x1a",
  'ключ 鍵 🔑 é',
  '%25 %%% ~!*()',
];

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
    it('is undefined at first, and then the last text that was written', async () => {
      const store = await open();
      const cursor = store.cursor(unique());
      let current: string | undefined;
      expect(await cursor.read()).toBeUndefined();
      for (const text of TEXTS) {
        expect(await cursor.write(text, current)).toBe(true);
        expect(await cursor.read()).toBe(text);
        current = text;
      }
    });

    it('is written only in place of the expected text', async () => {
      const store = await open();
      const [cursor, other] = [store.cursor(unique()), store.cursor(unique())];
      expect(await cursor.write('2', '1')).toBe(false);
      expect(await cursor.read()).toBeUndefined();
      expect(await cursor.write('1', undefined)).toBe(true);
      expect(await cursor.write('x', undefined)).toBe(false);
      expect(await cursor.write('x', '1 ')).toBe(false);
      expect(await cursor.write('x', '')).toBe(false);
      expect(await cursor.read()).toBe('1');
      expect(await cursor.write('1', '1')).toBe(true);
      expect(await other.read()).toBeUndefined();
    });

    it('takes a text of a megabyte', async () => {
      const cursor = (await open()).cursor(unique());
      const long = JSON.stringify({ retry: 'r'.repeat(1_000_000) });
      expect(await cursor.write(long, undefined)).toBe(true);
      expect(await cursor.read()).toBe(long);
      expect(await cursor.write('short', long)).toBe(true);
      await expect(cursor.write('é'.repeat(1_000_000), 'short')).rejects.toMatchObject(ERR_STORE);
      expect(await cursor.read()).toBe('short');
    });

    it('is won by one of 20 writers at once, round by round', async () => {
      const [one, two] = [await open(), await open()];
      const name = unique();
      await raceRounds((index) => (index % 2 ? one : two).cursor(name), rounds);
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

/** Lets 20 writers race for each of some rounds. Each round has one winner, and keeps its text. */
async function raceRounds(
  cursorOf: (index: number) => ReturnType<SqlLeaseStore['cursor']>,
  rounds: number,
): Promise<void> {
  const cursors = Array.from({ length: 20 }, (_, index) => cursorOf(index));
  let current: string | undefined;
  for (let round = 0; round < rounds; round++) {
    const texts = cursors.map((_, index) => `${round}:${index}`);
    const won = await Promise.all(cursors.map((cursor, index) => cursor.write(texts[index] as string, current)));
    expect(won.filter(Boolean)).toHaveLength(1);
    current = texts[won.indexOf(true)];
    expect(await cursors[round]?.read()).toBe(current);
  }
}
