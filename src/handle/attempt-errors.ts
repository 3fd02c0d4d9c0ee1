import { WebhookError } from '../errors.js';
import type { Deadline } from './deadline.js';
import { isNonRetryable } from './non-retryable.js';

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
      if (!(each instanceof Error)) return false;
      each = each.cause;
    }
  } catch {
    // The error cannot be read.
  }
  return false;
}
