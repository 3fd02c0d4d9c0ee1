import { describe, expect, it } from 'vitest';

describe('what is taken for a mark, of which a body may have 30 in a row', () => {
  it('is every character that normalisation moves past another', () => {
    const moved: number[] = [];
    for (let point = 0x80; point < 0x110000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      // One of the lowest class there is, and one of the highest: what has a class itself changes places with either.
      const isMoved = ['\u0334', '\u0345'].some((mark) => {
        const alone = character.normalize('NFD');
        return (
          `${character}${mark}`.normalize('NFD').startsWith(mark) ||
          `${mark}${character}`.normalize('NFD').startsWith(alone)
        );
      });
      if (isMoved && character !== '\u0334' && character !== '\u0345' && !/^\p{M}$/u.test(character)) moved.push(point);
    }
    expect(moved).toEqual([]);
  }, 60_000);
});
