import { WebhookError } from '../errors.js';
import type { StoreWord } from '../stores/store.js';
import type { EventOutcome, Items } from './answer.js';
import type { AboutDelivery } from './context.js';
import type { Deadline } from './deadline.js';
import { isNonRetryable } from './non-retryable.js';

/** The result of an attempt to handle events. */
export interface Attempted {
  readonly outcomes: EventOutcome[];
  /** The events that the handler was called with. */
  readonly tried: Items;
  /**
   * Why all events failed. `handler`: it threw, and a transactional store has rolled back its run. `unknown`: its
   * transaction ended without the store. `abandoned`: earlier runs of the events in `outcomes` never ended; the others
   * were not tried. `store`: the store failed, or the time is over.
   */
  readonly failed?: { readonly by: 'handler' | 'unknown' | 'abandoned' | 'store'; readonly error: WebhookError };
}

/**
 * Counts failed events of an attempt whose run the store has rolled back or released, and returns the outcomes, with those
 * that became dead letters. Events that failed together do not count: one of them may have made the others fail.
 * Never rejects.
 */
export type CountFailures = (attempted: Attempted, about: AboutDelivery) => Promise<EventOutcome[]>;

/** The state of the handler's run when the store answers. */
export type RunState = 'idle' | 'running' | 'done' | 'failed' | 'late';

/** For each state of the run, whether a store may give this answer, or whether only a transactional one may. */
const ALLOWED: Readonly<Record<StoreWord, Readonly<Record<RunState, boolean | 'transactional'>>>> = {
  handled: { idle: false, running: false, done: true, failed: false, late: false },
  // After a failed run, a transactional store may find in its next transaction that the key took effect elsewhere.
  duplicate: { idle: true, running: false, done: true, failed: 'transactional', late: false },
  'in-progress': { idle: true, running: true, done: true, failed: 'transactional', late: true },
  unknown: { idle: true, running: true, done: true, failed: true, late: true },
};

/**
 * Whether a store may give this answer for a key. Any other answer is an error of the store, and the event fails.
 *
 * @param isFresh Whether the run got the key.
 */
export function isPossible(
  answer: unknown,
  run: RunState,
  isTransactional: boolean,
  isFresh: boolean,
): answer is StoreWord {
  if (typeof answer !== 'string' || !Object.hasOwn(ALLOWED, answer)) return false;
  if (answer === 'handled' && !isFresh) return false;
  const allowed = ALLOWED[answer as StoreWord][run];
  return allowed === 'transactional' ? isTransactional : allowed;
}

export const WRONG_WORD =
  'The store must resolve to handled (after its run succeeded), duplicate (without a failed run), in-progress or unknown, for each key.';

/** The error reported for a failure of user code, whatever it threw. */
export function handlerError(cause: unknown): WebhookError {
  const message = 'The handler failed, so the event will be redelivered.';
  return new WebhookError('ERR_WEBHOOK_HANDLER', isNonRetryable(cause) ? NON_RETRYABLE : message, { cause });
}

const NON_RETRYABLE =
  'The handler failed and no further try can succeed. Where the receiver has the option `deadLetters`, the event is kept as a dead letter; otherwise it will be redelivered.';

/** The error of a handler, or the timeout error if the handler threw it. */
export function errorOf(cause: unknown, limit: Deadline): WebhookError {
  return limit.error !== undefined && cause === limit.error ? limit.error : handlerError(cause);
}

/** Whether an error is the store's own, which takes precedence over the handler's error. */
export function isOfStore(error: unknown): boolean {
  const code = WebhookError.codeOf(error);
  return code === 'ERR_WEBHOOK_STORE' || code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
}

/** The error to report for a store: its own error, or the handler error with which it refused the handler's writes. */
export function storeFailure(cause: unknown): WebhookError {
  if (isOfStore(cause) || WebhookError.codeOf(cause) === 'ERR_WEBHOOK_HANDLER') return cause as WebhookError;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event will be redelivered.', { cause });
}

/** The error for a key whose earlier transaction ended without the store. */
export function outcomeUnknown(idempotencyKey: string, cause?: unknown): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_OUTCOME_UNKNOWN',
    `The effects of ${idempotencyKey} may be incomplete: the transaction of an earlier run ended without the store. It does not run again. Look at its effects, then settle its row.`,
    cause === undefined ? {} : { cause },
  );
}

/** Whether an error is `cause` or wraps it. */
export function isMadeFrom(error: unknown, cause: unknown): boolean {
  try {
    for (let depth = 0, each = error; depth < 10; depth++) {
      if (each === cause) return true;
      each = (each as { readonly cause?: unknown }).cause;
      if (each === undefined) return false;
    }
  } catch {
    // The error cannot be read.
  }
  return false;
}
