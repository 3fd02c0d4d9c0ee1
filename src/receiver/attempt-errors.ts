import { WebhookError } from '../errors.js';
import type { TimeLimit } from './time-limit.js';

export const WRONG_WORD =
  'The store must resolve to handled (after its one run succeeded), duplicate (without a failed run) or in-progress, for each key.';
export const ASYNCHRONOUS =
  "The store's transaction ends when the handler returns, so the handler must be synchronous. Use a store with an asynchronous driver for one that is not.";
export const FROZEN = 'The lease may end before the handler: the process was frozen. The event will be redelivered.';

/** The error reported for a failure of user code, whatever it threw. */
export function handlerError(cause: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event will be redelivered.', { cause });
}

/** The error of a handler: the timeout if that is what it threw. */
export function errorOf(cause: unknown, limit: TimeLimit): WebhookError {
  return limit.error !== undefined && cause === limit.error ? limit.error : handlerError(cause);
}

/** The error of a store: its own, or the handler's if the store refused to commit what the handler wrote. */
export function storeError(cause: unknown): WebhookError {
  const code = WebhookError.codeOf(cause);
  if (code === 'ERR_WEBHOOK_STORE' || code === 'ERR_WEBHOOK_HANDLER') return cause as WebhookError;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event will be redelivered.', { cause });
}

export function inProgress(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_IN_PROGRESS',
    'The event is being handled elsewhere. Send the delivery again later.',
  );
}
