import { availableParallelism } from 'node:os';
import { oneOf, UsageError, valuesOf, whole } from '../../fixtures/arguments.js';

/** What `npm run simulate` was asked for. */
export interface Arguments {
  readonly worlds: readonly string[];
  readonly seed: number;
  readonly seeds: number;
  readonly failures: number;
  readonly workers: number;
  readonly replay: string | undefined;
  readonly defect: string | undefined;
  readonly isExhaustive: boolean;
  /** Undefined for that of each small world. */
  readonly depth: number | undefined;
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
  failures: { type: 'string' },
  workers: { type: 'string' },
  replay: { type: 'string' },
  defect: { type: 'string' },
  exhaustive: { type: 'boolean' },
  depth: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const MOST_SEED = 2 ** 32 - 1;

export const usage = ({ worlds, smallWorlds, defects }: Names) => `npm run simulate -- [options]

  --world NAME     a world; may be repeated (default: all)
  --seeds N        schedules of each world (default: 10000)
  --seed N         the first seed (default: 1)
  --failures N     end after so many failures (default: 1)
  --workers N      threads (default: one a core)
  --defect NAME    puts a defect into the code
  --replay FILE    plays the schedule of a file
  --exhaustive     every interleaving of the small worlds
  --depth N        how many choices deep (with --exhaustive)

worlds: ${worlds.join(', ')}
small worlds: ${smallWorlds.join(', ')}
defects: ${defects.join(', ')}`;

/** Reads the arguments. Throws UsageError for one that is unknown, out of range, or of no use with the others. */
export function readArguments(args: readonly string[], names: Names): Arguments {
  const values = valuesOf(args, OPTIONS);
  const isExhaustive = values.exhaustive ?? false;
  const known = isExhaustive ? names.smallWorlds : names.worlds;
  for (const world of values.world ?? []) oneOf('world', world, known);
  if (values.defect !== undefined) oneOf('defect', values.defect, names.defects);
  if (values.depth !== undefined && !isExhaustive) throw new UsageError('--depth needs --exhaustive.');
  refuse(values, 'replay', ['world', 'seed', 'seeds', 'failures', 'defect', 'exhaustive', 'workers']);
  refuse(values, 'exhaustive', ['seed', 'seeds', 'failures']);
  // No seed of a search is too large to be given again.
  const seed = whole('seed', values.seed, 1, 0, MOST_SEED);
  return {
    worlds: [...new Set(values.world ?? known)],
    seed,
    seeds: whole('seeds', values.seeds, Math.min(10_000, MOST_SEED - seed + 1), 1, MOST_SEED - seed + 1),
    failures: whole('failures', values.failures, 1, 1, 1000),
    workers: whole('workers', values.workers, availableParallelism(), 1, 256),
    depth: values.depth === undefined ? undefined : whole('depth', values.depth, 1, 1, 1000),
    replay: values.replay,
    defect: values.defect,
    isExhaustive,
    isHelp: values.help ?? false,
  };
}

/** An option that would be ignored is refused. */
function refuse(values: Readonly<Record<string, unknown>>, option: string, others: readonly string[]): void {
  const other = values[option] ? others.find((each) => values[each] !== undefined) : undefined;
  if (other !== undefined) throw new UsageError(`--${other} has no meaning with --${option}.`);
}
