import { WebhookError } from '../errors.js';
import type { Deadline } from './deadline.js';
import { isNonRetryable } from './non-retryable.js';

export const WRONG_WORD =
  'The store must resolve to handled (after its run succeeded), duplicate (without a failed run), in-progress or unknown, for each key.';
export const WRONG_KEYS = 'The store must call its run with some of its keys.';
export const LATE = 'The store called its run too late, or while another one was under way.';
export const FROZEN =
  'Claiming the key took as long as the handler may take, so the handler was not started: the process was frozen, or the store is slow. The event will be redelivered.';

export const codeOf = WebhookError.codeOf;

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

/** The failure of an earlier run that never ended. */
export function abandonedRun(): WebhookError {
  const message = 'An earlier run did not end: its process was killed, or frozen for longer than its lease.';
  return new WebhookError('ERR_WEBHOOK_HANDLER', message);
}

/** Whether an error is the store's own, which takes precedence over the handler's error. */
export function isOfStore(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ERR_WEBHOOK_STORE' || code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
}

/** The error to report for a store: its own error, or the handler error with which it refused the handler's writes. */
export function storeFailure(cause: unknown): WebhookError {
  if (isOfStore(cause) || codeOf(cause) === 'ERR_WEBHOOK_HANDLER') return cause as WebhookError;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event will be redelivered.', { cause });
}

export function inProgress(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_IN_PROGRESS',
    'The event is being handled elsewhere. Send the delivery again later.',
  );
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
