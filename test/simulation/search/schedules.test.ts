import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { playSchedules } from './schedules.js';

it('no schedule of the first ones of each world breaks an invariant', { timeout: 120_000 }, async () => {
  const { played, failures } = await playSchedules(3000, availableParallelism());
  expect(failures).toEqual([]);
  expect(played).toBeGreaterThanOrEqual(3000);
});
