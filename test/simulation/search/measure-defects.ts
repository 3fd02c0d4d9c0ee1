// Measures how many schedules it takes to find defects, for the table of the README:
// `npx tsx test/simulation/search/measure-defects.ts 1000 "best status"`, with the most schedules and names (default: all).
import { availableParallelism } from 'node:os';
import { bundleOf, defects } from '../defects/index.js';
import { buildProgram } from './program.js';
import { search } from './search.js';
import { Threads } from './threads.js';

const [most = '1000', ...names] = process.argv.slice(2);
const threads = new Threads(await buildProgram(), availableParallelism());
for (const { name, worlds } of defects) {
  if (names.length > 0 && !names.includes(name)) continue;
  const subject = await bundleOf(name);
  const counts: number[] = [];
  const invariants = new Set<string>();
  // Five searches from seeds that are a million apart, in its first world.
  for (let first = 1; counts.length < 5; first += 1_000_000) {
    const { found } = await search(threads, { worlds: worlds.slice(0, 1), subject, first, seeds: Number(most) });
    counts.push(found[0] ? found[0].seed - first + 1 : Number.POSITIVE_INFINITY);
    if (found[0]) invariants.add(found[0].failure.invariant);
  }
  counts.sort((one, other) => one - other);
  console.log(`| ${name} | ${worlds[0]} | ${[...invariants].join(', ')} | ${counts[2]} | ${counts.join(', ')} |`);
}
await threads.close();
