import { expect, it } from 'vitest';
import type { ReconcileCursor } from '../../src/chain/index.js';

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

/** What each cursor must do. `open` gives some with one new name, and one with another. Call it in a describe. */
export function describeCursor(
  open: () => Promise<{ named: () => ReconcileCursor; other: ReconcileCursor }>,
  rounds: number,
): void {
  it('is undefined at first, and then the last text that was written', async () => {
    const cursor = (await open()).named();
    let current: string | undefined;
    expect(await cursor.read()).toBeUndefined();
    for (const text of TEXTS) {
      expect(await cursor.write(text, current)).toBe(true);
      expect(await cursor.read()).toBe(text);
      current = text;
    }
  });

  it('is written only in place of the expected text', async () => {
    const { named, other } = await open();
    const cursor = named();
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

  it('is won by one of 20 writers at once, round by round', async () => {
    const { named } = await open();
    const cursors = Array.from({ length: 20 }, named);
    let current: string | undefined;
    for (let round = 0; round < rounds; round++) {
      const texts = cursors.map((_, index) => `${round}:${index}`);
      const won = await Promise.all(cursors.map((cursor, index) => cursor.write(texts[index] as string, current)));
      expect(won.filter(Boolean)).toHaveLength(1);
      current = texts[won.indexOf(true)];
      expect(await cursors[round]?.read()).toBe(current);
    }
  });
}
