import { expect, it } from 'vitest';
import { TimingTest } from './welch.js';

it('TimingTest computes Welch’s t', () => {
  const test = new TimingTest(Float64Array.of(100));
  for (const time of [1, 2, 3, 4]) test.add(0, time);
  for (const time of [2, 4, 6, 8, 10]) test.add(1, time);
  // Means 2.5 and 6, variances 5/3 and 10.
  expect(test.worst).toBeCloseTo(3.5 / Math.sqrt(5 / 3 / 4 + 10 / 5), 12);
});
