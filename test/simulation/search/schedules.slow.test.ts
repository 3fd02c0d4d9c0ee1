import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { playSchedules } from './schedules.js';

it('no schedule of a hundred thousand breaks an invariant', { timeout: 1_200_000 }, async () => {
  const { played, failures } = await playSchedules(100_000, availableParallelism());
  expect(failures).toEqual([]);
  expect(played).toBeGreaterThanOrEqual(100_000);
});
