import { isWebhookError, WebhookError } from '../errors.js';

const CODE = 'ERR_WEBHOOK_NON_RETRYABLE';

/**
 * Throw it in a handler for an event that no retry can handle. With the receiver's option `deadLetters`, the event
 * becomes a dead letter at once; in a queue's worker, its job fails without a retry. Otherwise it counts as an ordinary
 * failure.
 *
 * @example
 * ```ts
 * import { NonRetryableError, type WebhookEvent } from 'event-webhook-receiver';
 *
 * export function onEvent(event: WebhookEvent) {
 *   if (event.event !== 'event.emitted') throw new NonRetryableError(`No handler for ${event.event}.`);
 * }
 * ```
 */
export class NonRetryableError extends WebhookError<typeof CODE> {
  /** @param message Kept with the dead letter: no secrets. */
  constructor(message: string, options?: { cause?: unknown }) {
    super(CODE, message, options, 'NonRetryableError');
  }
}

/** Whether an error is a NonRetryableError, also one of another copy of the library. Never throws. */
export function isNonRetryable(error: unknown): boolean {
  try {
    return isWebhookError(error) && error.code === CODE;
  } catch {
    return false;
  }
}
