import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { playSchedules } from './schedules.js';

/** By hand, before a release: `SCHEDULES=100000`. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 20_000);

it(`no schedule of ${SCHEDULES} breaks an invariant`, { timeout: 1_200_000 }, async () => {
  const { played, failures } = await playSchedules(SCHEDULES, availableParallelism());
  expect(failures).toEqual([]);
  expect(played).toBeGreaterThanOrEqual(SCHEDULES);
});
