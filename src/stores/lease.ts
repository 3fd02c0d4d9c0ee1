import { checkNumber, MAX_TIMER_MS } from '../internal/check-options.js';
import { stopwatch, withDeadline } from '../internal/deadline.js';
import { boundedCalls, type CallLimits, storeError } from './calls.js';
import { storableKey } from './key.js';
import { createRecorder } from './record.js';
import type { IdempotencyStore } from './store.js';

/** What the stores that hold a key by a lease have in common. */
export interface LeaseOptions {
  /**
   * How long a key is held for a run that does not come back, in milliseconds; then another may take it over. Handlers
   * are given nine tenths of it at most, and less where it is under 2500. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /** How long a key is remembered after it took effect, in ms: longer than the sender retries. (Default: 7 days.) */
  readonly retentionMs?: number | undefined;
  /**
   * How long the server may take to answer each call, in ms; then the event fails and is expected again. A record of an
   * effect is retried. (Default: 5000.)
   */
  readonly timeoutMs?: number | undefined;
}

/** Keys with their owners, on some server. Each call is one atomic step there. */
export interface LeaseTable {
  /**
   * Makes `owner` the holder for `leaseMs` if nobody is and it has not taken effect. A bigint means claimed, with this
   * fencing token.
   */
  claim(key: string, owner: string): Promise<'claimed' | bigint | 'duplicate' | 'in-progress'>;
  /** Records for `retentionMs` that the key took effect. Says false, and changes nothing, when another holds it. */
  complete(key: string, owner: string): Promise<boolean>;
  /** Gives the key back, if `owner` still holds it. */
  release(key: string, owner: string): Promise<unknown>;
}

/** The options with their defaults. Throws ConfigError for a number out of range. */
export function resolveLeaseOptions(options: LeaseOptions): Required<{ [K in keyof LeaseOptions]: number }> {
  const { leaseMs = 60_000, retentionMs = 7 * 86_400_000, timeoutMs = 5000 } = options;
  checkNumber('leaseMs', leaseMs, 1, MAX_TIMER_MS);
  checkNumber('retentionMs', retentionMs, 1);
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  return { leaseMs, retentionMs, timeoutMs };
}

/**
 * A store over keys that are held by leases. Each claim has its own owner, so that a holder whose lease ran out can
 * neither complete nor release what another has taken over. No run starts when its claim was answered too late to have
 * nine tenths of the lease left, on the monotonic or the wall clock.
 */
export function leasedStore(
  table: LeaseTable,
  options: ReturnType<typeof resolveLeaseOptions>,
  limits: Omit<CallLimits, 'timeoutMs'> = {},
): IdempotencyStore {
  const { leaseMs, timeoutMs } = options;
  const calls = boundedCalls({ timeoutMs, ...limits });
  const recorder = createRecorder((key, owner) => calls.send(() => table.complete(key, owner)), options);

  const late = () => storeError('The server did not answer in time (timeoutMs, and a tenth of leaseMs for a claim).');
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);
  // A lease begins before its claim is answered. A handler has nine tenths of it, so the answer may take the last one.
  const claimMs = Math.min(timeoutMs, Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs)));

  /** Records that are still being made although their delivery was answered. */
  const retried = new Set<Promise<void>>();

  return {
    // Of a lease so short that its claim may take more than a tenth, handlers are given nine tenths of what then is left.
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
        // The process may have been frozen: the answer is then read before the timer has fired. From here to the run
        // nothing is awaited. Written so that a clock that gives no number refuses, too.
        if (!(elapsed() <= claimMs)) throw late();
      } catch (error) {
        // The claim may have been made or still be made, and would keep others from the key for a whole lease.
        claim.then(release, release).catch(ignore);
        throw error;
      }
      try {
        await run(undefined, { fencingToken, remainingMs: () => leaseMs - elapsed() });
      } catch (error) {
        // If the server cannot be told, the lease runs out by itself.
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
