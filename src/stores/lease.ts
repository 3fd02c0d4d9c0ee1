import { withDeadline } from '../deadline.js';
import { WebhookError } from '../errors.js';
import type { IdempotencyStore } from '../idempotency.js';
import { checkNumber, MAX_TIMER_MS } from '../limits.js';
import { storableKey } from './key.js';

/** What the stores that hold a key by a lease have in common. */
export interface LeaseOptions {
  /**
   * How long a key is held for a run that does not come back, in milliseconds; then another may take it over. Handlers
   * are given nine tenths of it at most, and less where it is under 2500. (Default: 60 000.)
   */
  readonly leaseMs?: number | undefined;
  /** How long a key is remembered after it took effect, in ms: longer than the sender retries. (Default: 7 days.) */
  readonly retentionMs?: number | undefined;
  /** How long the server may take to answer, in ms; then the event fails and is expected again. (Default: 5000.) */
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

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;

/**
 * A store over keys that are held by leases. Every claim has an owner of its own, so that a holder whose lease ran out
 * can neither complete nor release what another has taken over.
 */
export function leasedStore(
  table: LeaseTable,
  { leaseMs, retentionMs, timeoutMs }: ReturnType<typeof resolveLeaseOptions>,
): IdempotencyStore {
  /** Keys whose run succeeded, and which the server has not recorded yet. As many as runs were under way, at most. */
  const unrecorded = new Map<string, Promise<void>>();

  const late = () => storeError('The server did not answer in time (timeoutMs, and a tenth of leaseMs for a claim).');
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, late);
  // A lease begins before its claim is answered. A handler has nine tenths of it, so the answer may take the last one.
  const claimMs = Math.min(timeoutMs, Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs)));

  /**
   * Tries until the server has recorded it: the effect is there, so that forgetting the key would mean to have it
   * twice. Tries go on after the delivery was answered.
   */
  async function record(key: string, owner: string): Promise<void> {
    try {
      if (await complete(key, owner)) return;
    } finally {
      unrecorded.delete(key);
    }
    throw storeError(
      `The lease of ${leaseMs} ms ran out before the run was over and another has taken the key over, so the event may take effect twice. Make leaseMs longer than any run.`,
    );
  }

  async function complete(key: string, owner: string): Promise<boolean> {
    const end = Date.now() + retentionMs;
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
      try {
        return await table.complete(key, owner);
      } catch (error) {
        if (Date.now() > end) throw error;
        await pause(wait);
      }
    }
  }

  return {
    // Of a lease so short that its claim may take more than a tenth, handlers are given nine tenths of what then is left.
    leaseMs: claimMs > leaseMs / 10 ? (leaseMs - claimMs) / 0.9 : leaseMs,
    async once(idempotencyKey, run) {
      const key = storableKey(idempotencyKey);
      const recording = unrecorded.get(key);
      if (recording !== undefined) {
        await inTime(recording);
        return 'duplicate';
      }
      const owner = crypto.randomUUID();
      const claim = table.claim(key, owner);
      let status: Awaited<typeof claim>;
      try {
        status = await withDeadline(claim, claimMs, late);
      } catch (error) {
        // It may be there all the same, or come yet, and would keep others from the key for a whole lease.
        const release = () => table.release(key, owner);
        claim.then(release, release).catch(ignore);
        throw error;
      }
      if (status === 'duplicate' || status === 'in-progress') return status;
      try {
        await run(undefined, { fencingToken: status === 'claimed' ? undefined : status });
      } catch (error) {
        // If the server cannot be told, the lease runs out by itself.
        await inTime(table.release(key, owner)).catch(ignore);
        throw error;
      }
      const recorded = record(key, owner);
      unrecorded.set(key, recorded);
      await inTime(recorded);
      return 'handled';
    },
  };
}

function storeError(message: string): WebhookError {
  return new WebhookError('ERR_WEBHOOK_STORE', message);
}

/** Waits without keeping the process alive for it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: { unref?: () => unknown } | number = setTimeout(resolve, ms);
    if (typeof timer === 'object') timer.unref?.();
  });
}

function ignore(): void {}
