import { describe, expect, it } from 'vitest';
import { LIMIT, TimingTest } from './welch.js';

/** Even random numbers from 0 to 1, the same on every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Times of calls in nanoseconds: 2000 and noise, a thousandth of them with a pause of up to a millisecond. */
function synthetic(seed: number) {
  const random = randomNumbers(seed);
  return (extra = 0) => {
    const noise = -300 * Math.log(1 - random());
    return 2000 + extra + noise + (random() < 0.001 ? 1e6 * random() : 0);
  };
}

/** The largest |t| of two classes of synthetic times, of which class 1 takes longer by `leak`. */
function worstOf(leak: number, calls: number, seed = 1): number {
  const time = synthetic(seed);
  const random = randomNumbers(~seed);
  const test = new TimingTest(Float64Array.from({ length: 4096 }, () => time()));
  for (let call = 0; call < calls; call++) {
    const which = random() < 0.5 ? 0 : 1;
    test.add(which, time(which * leak));
  }
  return test.worst;
}

describe('TimingTest', () => {
  it('computes Welch’s t', () => {
    const test = new TimingTest(Float64Array.of(100));
    for (const time of [1, 2, 3, 4]) test.add(0, time);
    for (const time of [2, 4, 6, 8, 10]) test.add(1, time);
    // Means 2.5 and 6, variances 5/3 and 10.
    expect(test.worst).toBeCloseTo(3.5 / Math.sqrt(5 / 3 / 4 + 10 / 5), 12);
  });

  it('sees no difference between classes that take the same time', () => {
    for (let seed = 1; seed <= 20; seed++) expect(worstOf(0, 20_000, seed)).toBeLessThan(LIMIT);
  });

  it.each([40, -40])('sees a comparison that returns at the first difference: %i ns', (leak) => {
    expect(worstOf(leak, 20_000)).toBeGreaterThan(2 * LIMIT);
  });
});
