import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** A wrong argument. The message says which, and what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What `npm run fuzz` was asked for. */
export interface Arguments {
  readonly targets: readonly string[];
  readonly seconds: number;
  readonly seed: number;
  readonly workers: number;
  readonly keep: boolean;
  readonly replay: string | undefined;
  readonly isHelp: boolean;
}

const OPTIONS = {
  target: { type: 'string', multiple: true },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  workers: { type: 'string' },
  keep: { type: 'boolean' },
  replay: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const MOST = 2 ** 31 - 1;

export const usage = (targets: readonly string[]) => `npm run fuzz -- [options]

  --target NAME    a target; may be repeated (default: all)
  --seconds N      time of each target (default: 60)
  --seed N         seed of the mutations (default: the time)
  --workers N      targets at a time (default: one a core)
  --keep           keeps the inputs that cover new branches in test/fuzz/corpus
  --replay FILE    runs the input of a finding again

targets: ${targets.join(', ')}`;

/** Reads the arguments. Throws UsageError for one that is unknown or out of range. */
export function readArguments(args: readonly string[], targets: readonly string[]): Arguments {
  const values = parsed(args);
  const unknown = values.target?.find((name) => !targets.includes(name));
  if (unknown !== undefined) throw new UsageError(`--target must be one of ${targets.join(', ')}; got "${unknown}".`);
  return {
    targets: [...new Set(values.target ?? targets)],
    seconds: whole('seconds', values.seconds, 60, 86_400),
    seed: whole('seed', values.seed, Math.floor(Date.now() / 1000) % MOST, MOST),
    workers: whole('workers', values.workers, availableParallelism(), 256),
    keep: values.keep ?? false,
    replay: values.replay,
    isHelp: values.help ?? false,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

function whole(name: string, text: string | undefined, fallback: number, most: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0 && value <= most) return value;
  throw new UsageError(`--${name} must be a whole number from 1 to ${most}, got ${JSON.stringify(text)}.`);
}
