import type { WebhookError } from '../../errors.js';
import { stopwatch, withDeadline } from '../../internal/time.js';
import { storeError } from '../bounded-calls.js';
import type { LeaseTable } from '../leased-store.js';
import type { Engine } from './client.js';
import { explained, isConditionFailed, isConflict, isDenied, NO_ANSWER, refusalOf, sdkError } from './errors.js';
import type { Items } from './items.js';
import { giveUp } from './table.js';

const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1000;
const CONFLICT_TRIES = 5;

/** Commits the keys of an owner together with the writes of its handler. */
export type Commit = (keys: readonly string[], owner: string, writes: readonly object[]) => Promise<void>;

/**
 * Returns a function that sends one transaction, and sends it again for up to `timeoutMs` after a conflict or an
 * unknown outcome. Before the function rejects, it releases the first key, so that a copy of the request that arrives
 * late cannot commit: it would have to find the key with this owner. If the release fails, too, the error says that the
 * outcome is unknown.
 */
export function committer(
  engine: Engine,
  items: Items,
  { release }: LeaseTable,
  { timeoutMs, leaseMs }: { readonly timeoutMs: number; readonly leaseMs: number },
): Commit {
  // A client may ignore the signal of a request, for example while it waits for credentials.
  const inTime = <T>(work: Promise<T>) => withDeadline(work, timeoutMs, () => storeError(NO_ANSWER));

  /** Frees keys when DynamoDB answers again, so that an outage does not keep them for a whole lease. */
  async function freeLater(keys: readonly string[], owner: string): Promise<void> {
    const elapsedMs = stopwatch();
    while (elapsedMs() < leaseMs) {
      await sleep(LAST_RETRY_MS, 'in the background');
      try {
        await release(keys, owner);
        return;
      } catch {
        // The lease will expire.
      }
    }
  }

  /** Whether the transaction was committed. If not, it can no longer be committed. */
  async function wasCommitted(key: string, owner: string): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await giveUp(engine, items, key, owner);
      } catch (error) {
        // A copy of the transaction is in progress, or has just been committed.
        if (!(isConflict(error) || isConditionFailed(error)) || tries === CONFLICT_TRIES) throw error;
        await sleep(tries * FIRST_RETRY_MS);
      }
    }
  }

  return async (keys, owner, writes) => {
    const first = keys[0] as string;
    const TransactItems = [...keys.map((key) => ({ Update: items.completeHeld(key, owner) })), ...writes];
    const elapsedMs = stopwatch();
    for (let token = crypto.randomUUID(), retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LAST_RETRY_MS)) {
      try {
        await inTime(engine.transact({ ClientRequestToken: token, TransactItems }));
        return;
      } catch (error) {
        const refusal = refusalOf(error, keys.length);
        if (refusal === undefined && elapsedMs() < timeoutMs) {
          // The outcome of a cancelled transaction is known. Any other outcome is asked for again with the same token.
          if (isCancelled(error)) token = crypto.randomUUID();
          await sleep(retryMs * (0.5 + Math.random() / 2));
          continue;
        }
        const isCommitted = await inTime(wasCommitted(first, owner)).catch((cause: unknown) => {
          if (isDenied(cause)) throw explained(cause);
          void freeLater(keys, owner);
          throw storeError(UNKNOWN, cause);
        });
        if (isCommitted) return;
        throw refusal ?? gaveUp(error);
      }
    }
  };
}

function gaveUp(error: unknown): WebhookError {
  return isCancelled(error) ? storeError(CONFLICTS, error) : explained(error);
}

const isCancelled = (error: unknown): boolean => sdkError(error).name === 'TransactionCanceledException';

/** Waits. In the background, the timer does not keep the process alive. */
function sleep(ms: number, where?: 'in the background'): Promise<void> {
  return new Promise((resolve) => {
    // Outside Node, a timer is a number.
    const timer: { unref?: () => unknown } = setTimeout(resolve, ms);
    if (where) timer.unref?.();
  });
}

const UNKNOWN =
  'DynamoDB did not answer the transaction, so it is unknown whether it was committed. A redelivery resolves this.';
const CONFLICTS =
  'Conflicts with other transactions, or throttling, prevented the transaction until its time was over, so nothing was committed. A redelivery tries again.';
