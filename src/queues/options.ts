import { ConfigError } from '../errors.js';
import { checkNumber, checkWhole } from '../internal/check-options.js';
import { DEFAULT_RETENTION_MS } from '../stores/store.js';

/** Options that `bullmqEnqueue` and `pgBossEnqueue` share. */
export interface EnqueueOptions {
  /** How many times the engine tries an event before it becomes a dead letter. (Default: 15, about 4.5 hours.) */
  readonly attempts?: number | undefined;
  /** Delay before the second try, in ms; it doubles with each further try. (Default: 1000.) */
  readonly backoffMs?: number | undefined;
  /**
   * How long an event is remembered after it took effect, in ms. Must exceed the time during which the sender retries. Use
   * the same value in all receivers of a queue. (Default: 7 days.)
   */
  readonly retentionMs?: number | undefined;
}

export const ENQUEUE_OPTIONS = ['attempts', 'backoffMs', 'retentionMs'] as const satisfies (keyof EnqueueOptions)[];

const DAY_MS = 86_400_000;

/** Applies the defaults. Throws ConfigError for a number out of range. */
export function resolveEnqueueOptions(options: EnqueueOptions): Required<{ [K in keyof EnqueueOptions]: number }> {
  const { attempts = 15, backoffMs = 1000, retentionMs = DEFAULT_RETENTION_MS } = options;
  checkWhole('attempts', attempts, 1, 1000);
  checkNumber('backoffMs', backoffMs, 0, DAY_MS);
  checkNumber('retentionMs', retentionMs, 1);
  if (backoffMs * 2 ** (attempts - 2) > 365 * DAY_MS) {
    throw new ConfigError(
      'With these `attempts` and `backoffMs`, the last attempt would be more than a year away. Lower one of them.',
    );
  }
  return { attempts, backoffMs, retentionMs };
}
