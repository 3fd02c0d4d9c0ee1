import { smallWorlds } from '../small/index.js';
import type { Arguments } from './arguments.js';
import { bundleOf, type Output } from './output.js';
import { buildProgram } from './program.js';
import { failureText, whole } from './report.js';
import { Threads } from './threads.js';

/** Explores small worlds. Resolves to the exit code. */
export async function simulateExhaustive(chosen: Arguments, output: Output): Promise<number> {
  const subject = await bundleOf(chosen.defect);
  const threads = new Threads(await buildProgram(), Math.min(chosen.workers, chosen.worlds.length));
  try {
    const failures = await Promise.all(
      chosen.worlds.map(async (world) => {
        const depth = chosen.depth ?? smallWorlds.get(world)?.depth ?? 1;
        const startedAt = performance.now();
        const { explored } = await threads.ask({ kind: 'explore', world, subject, depth });
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        if (explored === undefined) throw new Error(`The world ${world} was not explored.`);
        const { states, transitions, cutOff, found } = explored;
        const extent = cutOff === 0 ? `complete, ${explored.depth} deep` : `cut off at depth ${depth}`;
        output.line(`${world}: ${whole(states)} states, ${whole(transitions)} transitions, ${extent}, ${seconds} s`);
        if (!found) return 0;
        const withDefect = chosen.defect === undefined ? '' : ` --defect ${JSON.stringify(chosen.defect)}`;
        const command = `npm run simulate -- --exhaustive --world ${world} --depth ${depth}${withDefect}`;
        output.line(failureText({ world, failure: found.failure, command }));
        return 1;
      }),
    );
    return failures.includes(1) ? 1 : 0;
  } finally {
    await threads.close();
  }
}
