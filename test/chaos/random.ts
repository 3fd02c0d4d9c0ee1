/** Numbers that look random and follow from a seed alone. */
export type Random = ReturnType<typeof createRandom>;

/** A linear congruential step, whose bits are then mixed so that the low ones are as good as the high ones. */
export function createRandom(seed: number) {
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;

  /** From 0 up to, but not including, 1. */
  function next(): number {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }
  /** A whole number, both ends included. */
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  /** In lower case. */
  const hex = (digits: number) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join('');

  return {
    next,
    int,
    chance: (probability: number) => next() < probability,
    pick<T>(from: readonly T[]): T {
      const picked = from[int(0, from.length - 1)];
      if (picked === undefined) throw new RangeError('There is nothing to pick from.');
      return picked;
    },
    shuffle<T>(list: readonly T[]): T[] {
      return list
        .map((each) => ({ each, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ each }) => each);
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}
