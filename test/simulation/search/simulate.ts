import { UsageError } from '../../fixtures/arguments.js';
import { defects } from '../defects/index.js';
import { smallWorlds } from '../small/index.js';
import { worlds } from '../worlds/index.js';
import { readArguments, usage } from './arguments.js';
import type { Output } from './output.js';
import { ReplayError } from './replay-file.js';
import { simulateExhaustive } from './simulate-exhaustive.js';
import { simulateReplay } from './simulate-replay.js';
import { simulateSeeds } from './simulate-seeds.js';

const names = {
  worlds: [...worlds.keys()],
  smallWorlds: [...smallWorlds.keys()],
  defects: defects.map(({ name }) => name),
};

/** Runs `npm run simulate`. Resolves to the exit code: 1 for a broken invariant, 2 for what cannot be played. */
export async function simulate(args: readonly string[], output: Output, directory: string): Promise<number> {
  try {
    const chosen = readArguments(args, names);
    if (chosen.isHelp) {
      output.line(usage(names));
      return 0;
    }
    if (chosen.replay !== undefined) return await simulateReplay(chosen.replay, names, output);
    return await (chosen.isExhaustive ? simulateExhaustive(chosen, output) : simulateSeeds(chosen, output, directory));
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ReplayError)) throw error;
    output.line(error.message);
    return 2;
  }
}
