import { oneOf, UsageError, valuesOf, whole } from '../../fixtures/arguments.js';

/** The names that arguments may take. */
export interface Names {
  readonly worlds: readonly string[];
  readonly defects: readonly string[];
}

const OPTIONS = {
  world: { type: 'string', multiple: true },
  seeds: { type: 'string' },
  seed: { type: 'string' },
  replay: { type: 'string' },
  defect: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const MOST_SEED = 2 ** 32 - 1;

export const usage = ({ worlds, defects }: Names) => `npm run simulate -- [options]

  --world NAME     a world; may be repeated (default: all)
  --seeds N        schedules of each world (default: 10000)
  --seed N         the first seed (default: 1)
  --defect NAME    puts a defect into the code
  --replay FILE    plays the schedule of a file

worlds: ${worlds.join(', ')}
defects: ${defects.join(', ')}`;

/** What `npm run simulate` is asked for. Throws UsageError for an argument that is unknown, out of range, or of no use with the others. */
export function readArguments(args: readonly string[], names: Names) {
  const values = valuesOf(args, OPTIONS);
  const { replay, defect, help: isHelp = false } = values;
  for (const world of values.world ?? []) oneOf('world', world, names.worlds);
  if (defect !== undefined) oneOf('defect', defect, names.defects);
  if (replay !== undefined && Object.keys(values).length > 1) throw new UsageError('--replay takes no other option.');
  const first = whole('seed', values.seed, 1, 0, MOST_SEED);
  const left = MOST_SEED - first + 1;
  const seeds = whole('seeds', values.seeds, Math.min(10_000, left), 1, left);
  return { worlds: [...new Set(values.world ?? names.worlds)], first, seeds, replay, defect, isHelp };
}
