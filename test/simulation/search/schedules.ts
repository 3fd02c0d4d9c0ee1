import { bundleOf } from '../defects/index.js';
import { worlds } from '../worlds/index.js';
import { buildProgram } from './program.js';
import { failureText } from './report.js';
import { search } from './search.js';
import { Threads } from './threads.js';

/** Worlds in which a schedule takes a fraction of a millisecond get more of them. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ memory: 12, 'same-ids': 16, 'odd-store': 8, leased: 3, reorgs: 2 },
};

/** How many schedules of each world make about `all` of all worlds. */
export function shares(all: number): ReadonlyMap<string, number> {
  const weightOf = (name: string) => WEIGHTS[name] ?? 1;
  const total = [...worlds.keys()].reduce((sum, name) => sum + weightOf(name), 0);
  return new Map([...worlds.keys()].map((name) => [name, Math.ceil((all * weightOf(name)) / total)]));
}

/** Plays schedules of every world on all threads. Resolves to how many there were, and to the reports of those that failed. */
export async function playSchedules(all: number, threadCount: number): Promise<{ played: number; failures: string[] }> {
  const subject = await bundleOf();
  const threads = new Threads(await buildProgram(), threadCount);
  const failures: string[] = [];
  let played = 0;
  try {
    for (const [world, seeds] of shares(all)) {
      const result = await search(threads, { worlds: [world], subject, first: 1, seeds });
      played += result.played;
      for (const { seed, failure } of result.found) {
        const command = `npm run simulate -- --world ${world} --seed ${seed} --seeds 1`;
        failures.push(failureText({ world, seed, failure, command }));
      }
    }
    return { played, failures };
  } finally {
    await threads.close();
  }
}
