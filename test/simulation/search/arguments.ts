import { oneOf, UsageError, valuesOf, whole } from '../../fixtures/arguments.js';

/** What `npm run simulate` was asked for. */
export interface Arguments {
  readonly worlds: readonly string[];
  readonly seed: number;
  readonly seeds: number;
  readonly replay: string | undefined;
  readonly defect: string | undefined;
  readonly isExhaustive: boolean;
  readonly isHelp: boolean;
}

/** The names that arguments may take. */
export interface Names {
  readonly worlds: readonly string[];
  readonly smallWorlds: readonly string[];
  readonly defects: readonly string[];
}

const OPTIONS = {
  world: { type: 'string', multiple: true },
  seeds: { type: 'string' },
  seed: { type: 'string' },
  replay: { type: 'string' },
  defect: { type: 'string' },
  exhaustive: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const MOST_SEED = 2 ** 32 - 1;

export const usage = ({ worlds, smallWorlds, defects }: Names) => `npm run simulate -- [options]

  --world NAME     a world; may be repeated (default: all)
  --seeds N        schedules of each world (default: 10000)
  --seed N         the first seed (default: 1)
  --defect NAME    puts a defect into the code
  --replay FILE    plays the schedule of a file
  --exhaustive     every interleaving of the small worlds

worlds: ${worlds.join(', ')}
small worlds: ${smallWorlds.join(', ')}
defects: ${defects.join(', ')}`;

/** Reads the arguments. Throws UsageError for one that is unknown, out of range, or of no use with the others. */
export function readArguments(args: readonly string[], names: Names): Arguments {
  const values = valuesOf(args, OPTIONS);
  const { replay, exhaustive: isExhaustive = false, help: isHelp = false } = values;
  const known = isExhaustive ? names.smallWorlds : names.worlds;
  for (const world of values.world ?? []) oneOf('world', world, known);
  if (values.defect !== undefined) oneOf('defect', values.defect, names.defects);
  if (replay !== undefined && Object.keys(values).length > 1) throw new UsageError('--replay takes no other option.');
  const seed = whole('seed', values.seed, 1, 0, MOST_SEED);
  const left = MOST_SEED - seed + 1;
  const seeds = whole('seeds', values.seeds, Math.min(10_000, left), 1, left);
  return {
    worlds: [...new Set(values.world ?? known)],
    seed,
    seeds,
    replay,
    defect: values.defect,
    isExhaustive,
    isHelp,
  };
}
