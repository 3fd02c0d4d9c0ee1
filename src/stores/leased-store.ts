import { checkNumber, MAX_TIMER_MS } from '../internal/check-options.js';
import { stopwatch, withDeadline } from '../internal/deadline.js';
import { boundedCalls, type CallLimits, storeError } from './bounded-calls.js';
import { createRecorder } from './recorder.js';
import { storableKey } from './storable-key.js';
import { DEFAULT_RETENTION_MS, type IdempotencyStore } from './store.js';

/** Options that all lease stores share. */
export interface LeaseOptions {
  /**
   * How long a run that does not settle keeps its key, in ms; then another run may take over. Handlers get at most 0.9 of
   * it, and less if it is below 2500. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /**
   * How long a key is remembered after it took effect, in ms. Must exceed the time during which the sender retries.
   * (Default: 7 days.)
   */
  readonly retentionMs?: number | undefined;
  /**
   * How long the server may take to answer each call, in ms; then the event fails, to be redelivered. The record of an
   * effect is retried. (Default: 5000.)
   */
  readonly timeoutMs?: number | undefined;
}

export const LEASE_OPTIONS = ['leaseMs', 'retentionMs', 'timeoutMs'] as const satisfies (keyof LeaseOptions)[];

/** Keys with their owners, on a server. Each call is one atomic step there. */
export interface LeaseTable {
  /**
   * Gives the key to `owner` for `leaseMs` if nobody has it and it has not taken effect. A bigint means claimed, with this
   * fencing token.
   */
  claim(key: string, owner: string): Promise<'claimed' | bigint | 'duplicate' | 'in-progress'>;
  /** Records for `retentionMs` that the key took effect. Resolves to false, without a change, if another owner has it. */
  complete(key: string, owner: string): Promise<boolean>;
  /** Frees the key if `owner` still has it. */
  release(key: string, owner: string): Promise<unknown>;
}

/** Applies the defaults. Throws ConfigError for a number out of range. */
export function resolveLeaseOptions(options: LeaseOptions): Required<{ [K in keyof LeaseOptions]: number }> {
  const { leaseMs = 60_000, retentionMs = DEFAULT_RETENTION_MS, timeoutMs = 5000 } = options;
  checkNumber('leaseMs', leaseMs, 1, MAX_TIMER_MS);
  checkNumber('retentionMs', retentionMs, 1);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  return { leaseMs, retentionMs, timeoutMs };
}

/**
 * A store over a table of leases. Each claim has its own owner, so that a run whose lease expired can neither complete nor
 * release a key that another run has taken over. No run starts if its claim was answered too late to leave 0.9 of the
 * lease, on the monotonic or the wall clock.
 */
export function leasedStore(
  table: LeaseTable,
  options: ReturnType<typeof resolveLeaseOptions>,
  limits: Omit<CallLimits, 'timeoutMs'> = {},
): IdempotencyStore {
  const { leaseMs, timeoutMs } = options;
  const calls = boundedCalls({ timeoutMs, ...limits });
  const recorder = createRecorder((key, owner) => calls.send(() => table.complete(key, owner)), options);

  const late = () => storeError('The server did not answer in time (timeoutMs; for a claim also a tenth of leaseMs).');
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);
  // A lease begins before its claim is answered. A handler gets 0.9 of it, so the answer may take up to 0.1.
  const claimMs = Math.min(timeoutMs, Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs)));

  /** Records that are still retried after their delivery was answered. */
  const retried = new Set<Promise<void>>();

  return {
    // If the lease is so short that its claim may take more than 0.1 of it, handlers get 0.9 of the rest.
    leaseMs: claimMs > leaseMs / 10 ? (leaseMs - claimMs) / 0.9 : leaseMs,
    unrecorded: () => [...retried],
    async once(idempotencyKey, run) {
      const key = storableKey(idempotencyKey);
      const recording = recorder.pending(key);
      if (recording !== undefined) {
        await inTime(recording);
        return 'duplicate';
      }
      const owner = crypto.randomUUID();
      const release = async () => calls.send(() => table.release(key, owner));
      const elapsed = stopwatch();
      const claim = calls.send(() => table.claim(key, owner));
      let fencingToken: bigint | undefined;
      try {
        const answer = await withDeadline(claim, claimMs, late);
        if (answer === 'duplicate' || answer === 'in-progress') return answer;
        if (answer !== 'claimed') fencingToken = answer;
        // A frozen process may read the answer before the timer fires. Nothing is awaited between here and the run. The
        // comparison is negated so that a clock that returns NaN fails, too.
        if (!(elapsed() <= claimMs)) throw late();
      } catch (error) {
        // The server may have made the claim, or may still make it, and would block the key for a whole lease.
        claim.then(release, release).catch(ignore);
        throw error;
      }
      try {
        await run(undefined, { fencingToken, remainingMs: () => leaseMs - elapsed() });
      } catch (error) {
        // If the server does not get this, the lease expires by itself.
        await inTime(release()).catch(ignore);
        throw error;
      }
      const recorded = recorder.record(key, owner);
      try {
        await inTime(recorded);
      } catch (error) {
        retried.add(recorded);
        const forget = () => retried.delete(recorded);
        recorded.then(forget, forget);
        throw error;
      }
      return 'handled';
    },
  };
}

function ignore(): void {}
