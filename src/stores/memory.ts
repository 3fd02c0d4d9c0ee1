import { WebhookError } from '../errors.js';
import { checkFunction, checkNumber, checkOptions } from '../internal/check-options.js';
import { monotonicNow } from '../internal/time.js';
import { isApplied } from './log-store.js';
import { memoryLetters, memoryLogs, memoryRecords, type Row } from './memory-rows.js';
import { storableArrival } from './storable.js';
import {
  type ClaimAnswer,
  DEFAULT_RETENTION_MS,
  type Failed,
  type Failure,
  type LeaseStore,
  type Step,
} from './store.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Maximum number of keys, at about 450 bytes each; beyond that the oldest is forgotten. (Default: 100 000.) */
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

  /** The rows of runs, dead letters, and logs that are not final: none of them is dropped. */
  const kept = new Map<string, Row>();
  /** The other rows. All are kept equally long, so the order of insertion is the order of expiry. */
  const passing = new Map<string, Row>();
  let letterCount = 0;
  /** Since when every key that took effect is known: since the store was created, or dropped a key to make room. */
  let completeSince = now();
  // One iterator for all calls: a new iterator would step over all deleted entries.
  let iterator = passing.entries();
  let oldest: [string, Row] | undefined;

  function makeRoom(): void {
    for (const time = now(); ; oldest = undefined) {
      if (oldest === undefined) {
        const next = iterator.next();
        if (next.done) iterator = passing.entries();
        oldest = next.value;
      }
      if (oldest === undefined) return;
      const [key, row] = oldest;
      if (passing.get(key) !== row) continue;
      if (row.expiresAt > time) {
        if (passing.size < maxKeys) return;
        if (row.isDone) completeSince = Math.max(completeSince, row.expiresAt - retentionMs + 1);
      }
      passing.delete(key);
    }
  }

  function drop(key: string): void {
    kept.delete(key);
    if (oldest?.[0] === key) oldest = undefined;
    passing.delete(key);
  }

  /** Keeps a row that is new, or that has changed. */
  function put(key: string, row: Row): void {
    drop(key);
    if (row.owner !== undefined || row.letter !== undefined || row.log !== undefined) {
      kept.set(key, row);
      return;
    }
    makeRoom();
    passing.set(key, row);
  }

  const rowOf = (key: string): Row | undefined => {
    const row = kept.get(key) ?? passing.get(key);
    return row && (row.expiresAt > now() || kept.has(key)) ? row : undefined;
  };
  const isHeld = (row: Row | undefined) => row?.owner !== undefined && row.until > leaseClock();

  /** Remembers that a key took effect, or that its dead letter was discarded. */
  function finish(key: string, row: Row, doneAt: number | undefined): void {
    if (row.letter !== undefined) letterCount--;
    row.owner = row.letter = row.log = undefined;
    if (row.failures) row.failures = { ...row.failures, code: undefined, message: undefined };
    row.isDone = true;
    row.doneAt = doneAt;
    row.expiresAt = now() + retentionMs;
    put(key, row);
  }

  /** Whether a step may have a row that no run holds. */
  function isFree(key: string, row: Row | undefined, { from, transitions }: Step): boolean {
    if (row?.isDone) return false;
    if (row?.letter !== undefined) return from === 'dead';
    if (row?.log === undefined) return from === 'free';
    const { transitions: count } = row.log;
    return count === transitions?.get(key) && from === (isApplied(count) ? 'applied' : 'reverted');
  }

  function claim(key: string, owner: string, step: Step): ClaimAnswer {
    const row = rowOf(key);
    if (isHeld(row)) return 'in-progress';
    if (!isFree(key, row, step)) return 'duplicate';
    const arrival = step.records?.get(key);
    const answer = row?.owner === undefined ? CLAIMED : ABANDONED;
    const claimed = row ?? newRow();
    if (arrival) claimed.record = storableArrival(arrival);
    claimed.owner = owner;
    claimed.until = leaseClock() + leaseMs;
    claimed.claimedAt = now();
    put(key, claimed);
    return answer;
  }

  /** Returns false if another owner has taken over, and may have recorded the key. */
  function record(key: string, owner: string, { to, logs }: Step): boolean {
    const row = rowOf(key) ?? newRow();
    // The lease of the owner that took over may have ended as well.
    if (row.owner !== owner && (row.isDone || isHeld(row))) return false;
    const count = row.log?.transitions ?? 0;
    const log = row.log ?? logs?.get(key);
    finish(key, row, now());
    if (to === 'done' || log === undefined) return true;
    row.isDone = false;
    row.failures = undefined;
    row.log = { ...log, transitions: count + Number(isApplied(count) !== (to === 'applied')) };
    put(key, row);
    return true;
  }

  function release(key: string, owner: string): void {
    const row = rowOf(key);
    if (row?.owner !== owner) return;
    row.owner = undefined;
    if (row.failures || row.log) put(key, row);
    else drop(key);
  }

  function fail(key: string, failure: Failure): Failed | undefined {
    const row = rowOf(key) ?? newRow();
    const wasLetter = row.letter !== undefined;
    if (failure.isUnknown || row.isDone || isHeld(row)) return undefined;
    if (!wasLetter && row.log?.transitions !== failure.transitions) return undefined;
    const time = now();
    const { attempts: earlier = 0, firstFailedAt = time } = row.failures ?? {};
    const attempts = earlier + 1;
    const isDead = wasLetter || (attempts >= failure.afterAttempts && time - firstFailedAt >= failure.afterMs);
    if (isDead && !wasLetter && letterCount >= maxLetters) throw new WebhookError('ERR_WEBHOOK_STORE', FULL);
    if (isDead && !wasLetter) letterCount++;
    const { letter, source, code, message } = failure;
    // Only a dead letter keeps the event: any other key gets it again with the redelivery.
    row.letter = isDead ? letter : undefined;
    row.failures = { attempts, firstFailedAt, lastFailedAt: time, code, message };
    row.expiresAt = time + retentionMs;
    row.record = failure.kind === undefined ? { ...row.record, source } : storableArrival(failure);
    put(key, row);
    return { attempts, firstFailedAt, isDead };
  }

  const rows = { rowOf, isHeld, finish, kept };
  return {
    leaseMs,
    letters: { ...memoryLetters(rows), fail: async (key, failure) => fail(key, failure) },
    records: memoryRecords(rows, passing),
    logs: memoryLogs(rows),
    rememberedSince: () => Math.max(completeSince, now() - retentionMs),
    claim: async (keys, owner, step) => new Map(keys.map((key) => [key, claim(key, owner, step)])),
    record: async (keys, owner, step) => new Map(keys.map((key) => [key, record(key, owner, step)])),
    async release(keys, owner) {
      for (const key of keys) release(key, owner);
    },
  };
}

const newRow = (): Row => ({
  record: undefined,
  owner: undefined,
  until: 0,
  claimedAt: undefined,
  isDone: false,
  doneAt: undefined,
  expiresAt: 0,
  failures: undefined,
  letter: undefined,
  log: undefined,
});

const CLAIMED: ClaimAnswer = {};
const ABANDONED: ClaimAnswer = { abandoned: true };

const FULL =
  'The memory store is full of dead letters (maxLetters), so the event will be redelivered. Retry or discard letters, or use a store that survives a restart.';
