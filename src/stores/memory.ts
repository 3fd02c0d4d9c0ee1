import { checkFunction, checkNumber, checkOptions } from '../internal/check-options.js';
import { monotonicNow } from '../internal/deadline.js';
import { memoryLetters } from './memory-letters.js';
import { memoryLogs } from './memory-logs.js';
import { type ClaimAnswer, type Claimed, DEFAULT_RETENTION_MS, type LeaseStore, type Step } from './store.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Most keys to remember, at about 150 bytes each; beyond that the oldest is forgotten. (Default: 100 000.) */
  readonly maxKeys?: number | undefined;
  /** How long a key is remembered after it took effect, in ms. (Default: 7 days.) */
  readonly retentionMs?: number | undefined;
  /**
   * How long a run that does not settle keeps its key, in ms; then another run may take over. Handlers get at most 0.9
   * of this time. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /** Most dead letters to keep. Beyond that, an event that would become one fails instead. (Default: 1000.) */
  readonly maxLetters?: number | undefined;
  /** Clock, in ms since the epoch. (Default: `Date.now`, and a monotonic clock for leases.) */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates a store in the memory of this process: an event takes effect once while the process lives and its key is
 * remembered.
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
export function memoryStore(options: MemoryStoreOptions = {}): LeaseStore {
  checkOptions('memoryStore', options, ['maxKeys', 'retentionMs', 'leaseMs', 'maxLetters', 'now']);
  const { maxKeys = 100_000, retentionMs = DEFAULT_RETENTION_MS, leaseMs = 60_000, now = Date.now } = options;
  const { maxLetters = 1000 } = options;
  // Setting the wall clock forward must not end the lease of a run in progress.
  const leaseClock = options.now ?? monotonicNow;
  checkNumber('maxKeys', maxKeys, 1);
  checkNumber('retentionMs', retentionMs, 1);
  checkNumber('leaseMs', leaseMs, 1);
  checkNumber('maxLetters', maxLetters, 0);
  checkFunction('now', now);

  const claims = new Map<string, { readonly owner: string; readonly until: number }>();
  /** When each key expires. All keys are kept equally long, so the order of insertion is the order of expiry. */
  const done = new Map<string, number>();
  /** Since when every key that took effect is known: since the store was created, or dropped a key to make room. */
  let completeSince = now();
  // One iterator for all calls: a new iterator would step over all deleted entries.
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
  const isHeld = (key: string) => (claims.get(key)?.until ?? Number.NEGATIVE_INFINITY) > leaseClock();
  const isTaken = (key: string) => isHeld(key) || isDone(key);
  const failures = memoryLetters(maxLetters, maxKeys, {
    isTaken,
    now,
    transitionsOf: (key) => open.transitionsOf(key),
    remember(key) {
      open.forget(key);
      remember(key);
    },
  });
  const open = memoryLogs({ isDead: failures.isDead, remember });
  const isOf = (owner: string, key: string) => claims.get(key)?.owner === owner;

  /** Returns false if another owner has taken over, and may have recorded the key. */
  function record(key: string, owner: string, step: Step): boolean {
    // The lease of the owner that took over may have ended as well.
    if (!isOf(owner, key) && (claims.has(key) ? isHeld(key) : isDone(key))) return false;
    claims.delete(key);
    if (open.record(key, step)) failures.forget(key);
    else failures.settle(key);
    return true;
  }

  /** Whether a step may have a key that no run holds. */
  function isFree(key: string, step: Step): boolean {
    if (isDone(key)) return false;
    if (step.from === 'applied' || step.from === 'reverted') return open.matches(key, step);
    return failures.isDead(key) ? step.from === 'dead' : step.from === 'free' && !open.has(key);
  }

  return {
    leaseMs,
    letters: failures.letters,
    logs: open.logs,
    rememberedSince: () => Math.max(completeSince, now() - retentionMs),
    async claim(keys, owner, step) {
      const until = leaseClock() + leaseMs;
      const answers = new Map<string, ClaimAnswer>();
      for (const key of keys) {
        if (isHeld(key)) answers.set(key, 'in-progress');
        else if (!isFree(key, step)) answers.set(key, 'duplicate');
        else {
          answers.set(key, claims.has(key) ? ABANDONED : CLAIMED);
          claims.set(key, { owner, until });
        }
      }
      return answers;
    },
    record: async (keys, owner, step) => new Map(keys.map((key) => [key, record(key, owner, step)])),
    async release(keys, owner) {
      for (const key of keys) if (isOf(owner, key)) claims.delete(key);
    },
  };
}

const CLAIMED: Claimed = {};
const ABANDONED: Claimed = { abandoned: true };
