import { oneOf, valuesOf, whole } from '../fixtures/arguments.js';

/** What `npm run fuzz` was asked for. */
export type Arguments = ReturnType<typeof readArguments>;

const OPTIONS = {
  target: { type: 'string', multiple: true },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  keep: { type: 'boolean' },
  replay: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const MOST = 2 ** 31 - 1;

export const usage = (targets: readonly string[]) => `npm run fuzz -- [options]

  --target NAME    a target; may be repeated (default: all)
  --seconds N      time of each target (default: 60)
  --seed N         seed of the mutations (default: the time)
  --keep           keeps the inputs that cover new branches in test/fuzz/corpus
  --replay FILE    runs the input of a finding again

targets: ${targets.join(', ')}`;

/** Reads the arguments. Throws UsageError for one that is unknown or out of range. */
export function readArguments(args: readonly string[], targets: readonly string[]) {
  const values = valuesOf(args, OPTIONS);
  for (const target of values.target ?? []) oneOf('target', target, targets);
  return {
    targets: [...new Set(values.target ?? targets)],
    seconds: whole('seconds', values.seconds, 60, 1, 86_400),
    seed: whole('seed', values.seed, Math.floor(Date.now() / 1000) % MOST, 0, MOST),
    keep: values.keep ?? false,
    replay: values.replay,
    isHelp: values.help ?? false,
  };
}
