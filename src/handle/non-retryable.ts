import { isWebhookError, WebhookError } from '../errors.js';

const CODE = 'ERR_WEBHOOK_NON_RETRYABLE';

/**
 * Thrown by a handler for an event that no further try can handle. With the option `deadLetters` of the receiver it becomes a
 * dead letter at once; in a queue's worker, a failed job that is not tried again. Otherwise it is an ordinary failure.
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

/** Whether an error is one of this class, also of another copy of the library. Never throws. */
export function isNonRetryable(error: unknown): boolean {
  try {
    return isWebhookError(error) && error.code === CODE;
  } catch {
    return false;
  }
}
