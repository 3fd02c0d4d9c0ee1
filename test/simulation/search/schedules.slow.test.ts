import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { bundleOf } from '../defects/index.js';
import { worlds } from '../worlds/index.js';
import { buildProgram } from './program.js';
import { failureText, seedCommand } from './report.js';
import { search } from './search.js';
import { Threads } from './threads.js';

/** By hand, before a release: `SCHEDULES=100000`. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 20_000);

/** Worlds in which a schedule takes a fraction of a millisecond get more of them. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ memory: 12, 'same-ids': 16, 'odd-store': 8, leased: 3, reorgs: 2 },
};

/** How many schedules of each world make about `all` of all worlds. */
function shares(all: number): ReadonlyMap<string, number> {
  const weightOf = (name: string) => WEIGHTS[name] ?? 1;
  const total = [...worlds.keys()].reduce((sum, name) => sum + weightOf(name), 0);
  return new Map([...worlds.keys()].map((name) => [name, Math.ceil((all * weightOf(name)) / total)]));
}

/** Plays schedules of every world on all threads. Resolves to how many there were, and to the reports of those that failed. */
async function playSchedules(all: number, threadCount: number): Promise<{ played: number; failures: string[] }> {
  const subject = await bundleOf();
  const threads = new Threads(await buildProgram(), threadCount);
  const failures: string[] = [];
  let played = 0;
  try {
    for (const [world, seeds] of shares(all)) {
      const result = await search(threads, { worlds: [world], subject, first: 1, seeds });
      played += result.played;
      if (result.found) {
        const { seed, failure } = result.found;
        failures.push(failureText({ world, seed, failure, command: seedCommand(world, seed) }));
      }
    }
    return { played, failures };
  } finally {
    await threads.close();
  }
}

it(`no schedule of ${SCHEDULES} breaks an invariant`, { timeout: 1_200_000 }, async () => {
  const { played, failures } = await playSchedules(SCHEDULES, availableParallelism());
  expect(failures).toEqual([]);
  expect(played).toBeGreaterThanOrEqual(SCHEDULES);
});
