import { WebhookError } from '../errors.js';
import { checkFunction, checkNumber, checkOptions } from '../internal/check-options.js';
import { monotonicNow } from '../internal/deadline.js';
import { DEFAULT_RETENTION_MS, type IdempotencyStore, type RunOptions, type StoreWord } from './store.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Most keys to remember, at about 150 bytes each; beyond that the oldest is forgotten. (Default: 100 000.) */
  readonly maxKeys?: number | undefined;
  /** How long a key is remembered after it took effect, in ms. (Default: 7 days.) */
  readonly retentionMs?: number | undefined;
  /**
   * How long a run that does not settle keeps its key, in ms; then another run may take over. Handlers get at most 0.9 of
   * it. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /** Clock, in ms since the epoch. (Default: `Date.now`, and a monotonic clock for leases.) */
  readonly now?: (() => number) | undefined;
}

/** A run that has claimed its key. */
class Hold implements RunOptions {
  readonly #now: () => number;
  readonly #until: number;
  #succeeded: boolean | undefined;
  #waiting: ((succeeded: boolean) => void)[] | undefined;

  constructor(now: () => number, leaseMs: number) {
    this.#now = now;
    this.#until = now() + leaseMs;
  }

  remainingMs(): number {
    return this.#until - this.#now();
  }

  onTimeout(): void {
    this.end(false);
  }

  /** Tells waiting duplicates whether the run succeeded in time. Only the first call counts. */
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
 * Creates a store in the memory of this process: an event takes effect once while the process lives and its key is
 * remembered. A duplicate that arrives while the first run is under way waits for it, and is `in-progress` if that run
 * fails or times out.
 *
 * It does not survive a restart, and replicas do not share it: use the SQLite, Redis or Postgres store for that.
 *
 * @example
 * ```ts
 * import { createReceiver, memoryStore } from 'event-webhook-receiver';
 *
 * const store = memoryStore({ maxKeys: 1_000_000 });
 * const receiver = createReceiver({ secret: 'whsec-test', store, onEvent: (event) => console.log(event.id) });
 * ```
 * @param options Limits; times are in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): IdempotencyStore {
  checkOptions('memoryStore', options, ['maxKeys', 'retentionMs', 'leaseMs', 'now']);
  const { maxKeys = 100_000, retentionMs = DEFAULT_RETENTION_MS, leaseMs = 60_000, now = Date.now } = options;
  // Setting the wall clock forward must not end the lease of a run that is under way.
  const leaseClock = options.now ?? monotonicNow;
  checkNumber('maxKeys', maxKeys, 1);
  checkNumber('retentionMs', retentionMs, 1);
  checkNumber('leaseMs', leaseMs, 1);
  checkFunction('now', now);

  const running = new Map<string, Hold>();
  /** When each key expires. All keys are kept equally long, so the order of insertion is the order of expiry. */
  const done = new Map<string, number>();
  /** Since when every key that took effect is known: since this store exists, or since after the last key that had no room. */
  let completeSince = now();
  // One iterator for all calls: a new one would step over every entry that was deleted before.
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
      if (oldest[1] > time) completeSince = Math.max(completeSince, oldest[1] - retentionMs + 1);
      done.delete(oldest[0]);
      oldest = undefined;
    }
    done.set(key, time + retentionMs);
  }

  const isDone = (key: string) => Number(done.get(key)) > now();
  const isHeld = (hold: Hold) => hold.remainingMs() > 0;

  /** Records that a key took effect. Returns false if another run has taken over, which may have finished since. */
  function record(key: string, hold: Hold): boolean {
    const holder = running.get(key);
    const isLost = holder === undefined ? isDone(key) : holder !== hold && isHeld(holder);
    if (isLost) return false;
    // The lease of a run that took over may have expired as well.
    if (holder !== hold) running.delete(key);
    remember(key);
    return true;
  }

  const tookOver = () =>
    new WebhookError(
      'ERR_WEBHOOK_STORE',
      `The run took longer than its lease of ${leaseMs} ms and another run has taken over the key, so the event may take effect twice. Increase leaseMs.`,
    );

  function release(key: string, hold: Hold): void {
    hold.end(false);
    if (running.get(key) === hold) running.delete(key);
  }

  return {
    leaseMs,
    rememberedSince: () => Math.max(completeSince, now() - retentionMs),
    async once(key, run) {
      const first = running.get(key);
      if (first !== undefined && isHeld(first)) {
        return (await first.ended()) ? 'duplicate' : 'in-progress';
      }
      if (isDone(key)) return 'duplicate';
      const hold = new Hold(leaseClock, leaseMs);
      running.set(key, hold);
      try {
        await run(undefined, hold);
        if (!record(key, hold)) throw tookOver();
        hold.end(true);
        return 'handled';
      } finally {
        release(key, hold);
      }
    },
    async onceEach(keys, run) {
      const hold = new Hold(leaseClock, leaseMs);
      const fresh: string[] = [];
      const answers = keys.map((key): StoreWord | Hold => {
        const first = running.get(key);
        if (first !== undefined && isHeld(first)) return first;
        if (isDone(key)) return 'duplicate';
        running.set(key, hold);
        fresh.push(key);
        return 'handled';
      });
      try {
        if (fresh.length > 0) await run(fresh, undefined, hold);
        // Records every key that it still has, before it reports those that it has not.
        const lost = fresh.filter((key) => !record(key, hold));
        if (lost.length > 0) throw tookOver();
        hold.end(true);
      } finally {
        for (const key of fresh) release(key, hold);
      }
      const words: StoreWord[] = [];
      for (const answer of answers) {
        words.push(typeof answer === 'string' ? answer : (await answer.ended()) ? 'duplicate' : 'in-progress');
      }
      return words;
    },
  };
}
