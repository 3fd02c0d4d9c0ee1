import { ConfigError, WebhookError } from '../errors.js';
import { checkNumber } from '../internal/check-options.js';
import { monotonicNow } from '../internal/deadline.js';
import type { IdempotencyStore, RunOptions } from './store.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** How many keys are remembered; beyond that the oldest is forgotten. About 150 bytes each. (Default: 100 000.) */
  readonly maxKeys?: number | undefined;
  /** How long a key is remembered after it took effect, in milliseconds. (Default: 24 hours.) */
  readonly retentionMs?: number | undefined;
  /**
   * How long a key is held for a run that does not settle, in milliseconds; then another may take it over. Handlers are
   * given nine tenths of it at most. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /** The clock, in milliseconds. (Default: `Date.now`, and for leases a clock that cannot be set.) */
  readonly now?: (() => number) | undefined;
}

/** A run that holds its key. */
class Hold implements RunOptions {
  readonly since: number;
  #succeeded: boolean | undefined;
  #waiting: ((succeeded: boolean) => void)[] | undefined;

  constructor(since: number) {
    this.since = since;
  }

  onTimeout(): void {
    this.end(false);
  }

  /** Tells the waiting whether the run succeeded in time; the first word counts. */
  end(succeeded: boolean): void {
    this.#succeeded ??= succeeded;
    for (const resolve of this.#waiting?.splice(0) ?? []) resolve(this.#succeeded);
  }

  async ended(): Promise<boolean> {
    if (this.#succeeded !== undefined) return this.#succeeded;
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }
}

/**
 * A store in this process's memory: exactly once for as long as one process lives. It is bounded and expires. A
 * restart forgets every key and a second replica has keys of its own, so where that matters use a store that they
 * share. A duplicate that arrives while the first is running waits for it; if the first fails or its time is up it is
 * `in-progress`, so that the sender tries again.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when a number is not positive.
 */
export function memoryStore(options: MemoryStoreOptions = {}): IdempotencyStore {
  const { maxKeys = 100_000, retentionMs = 86_400_000, leaseMs = 60_000, now = Date.now } = options;
  // A wall clock that is set forwards would end the lease of a run that is under way.
  const leaseClock = options.now ?? monotonicNow;
  if (!(maxKeys >= 1)) throw new ConfigError('memoryStore needs maxKeys of 1 or more.');
  if (!(retentionMs > 0)) throw new ConfigError('memoryStore needs retentionMs above 0.');
  checkNumber('leaseMs', leaseMs, 1);

  const running = new Map<string, Hold>();
  /** Key to the time it expires. Every key is kept equally long, so the order of insertion is the order of expiry. */
  const done = new Map<string, number>();
  // One iterator for good: each new one would step again over everything that was deleted before.
  let iterator = done.entries();
  let oldest: [string, number] | undefined;

  function remember(key: string): void {
    const time = now();
    for (;;) {
      if (oldest === undefined) {
        const next = iterator.next();
        if (next.done) iterator = done.entries();
        oldest = next.value;
      }
      if (oldest === undefined || (oldest[1] > time && done.size < maxKeys)) break;
      done.delete(oldest[0]);
      oldest = undefined;
    }
    done.set(key, time + retentionMs);
  }

  const isDone = (key: string) => Number(done.get(key)) > now();
  const isHeld = ({ since }: Hold) => leaseClock() - since < leaseMs;

  return {
    leaseMs,
    async once(key, run) {
      const first = running.get(key);
      if (first !== undefined && isHeld(first)) {
        return (await first.ended()) ? 'duplicate' : 'in-progress';
      }
      if (isDone(key)) return 'duplicate';
      const hold = new Hold(leaseClock());
      running.set(key, hold);
      try {
        await run(undefined, hold);
        // Another may have taken it over, and have finished since.
        const holder = running.get(key);
        const isLost = holder === undefined ? isDone(key) : holder !== hold && isHeld(holder);
        if (isLost) {
          throw new WebhookError(
            'ERR_WEBHOOK_STORE',
            `The run took longer than its lease of ${leaseMs} ms and another has taken the key over, so the event may take effect twice. Make leaseMs longer than any run.`,
          );
        }
        // One that took over and hangs beyond its own lease holds it no longer.
        if (holder !== hold) running.delete(key);
        remember(key);
        hold.end(true);
        return 'handled';
      } finally {
        hold.end(false);
        if (running.get(key) === hold) running.delete(key);
      }
    },
  };
}
