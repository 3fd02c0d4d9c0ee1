import { isWebhookError, WebhookError } from './errors.js';
import type { EventOutcome } from './outcome.js';

/** How a delivery is to be answered, and why. Only `status` and `retryAfterSeconds` are for the sender. */
export interface DeliveryResult {
  /** HTTP status; the body is always empty. */
  readonly status: number;
  /** What kept it from being 200. For your logs, never for the sender. */
  readonly error?: WebhookError | undefined;
  /** What became of each item, in their order; empty when the delivery was refused. */
  readonly outcomes: readonly EventOutcome[];
  /** Seconds for the Retry-After header, with 503. */
  readonly retryAfterSeconds?: number | undefined;
}

const RETRY_AFTER_SECONDS = 5;

/** The answer for an error, or 200. */
export function answerTo(error: WebhookError | undefined, outcomes: readonly EventOutcome[] = []): DeliveryResult {
  // Whatever calls itself an error of this library is answered as one: never 2xx.
  const status = error === undefined ? 200 : error.status >= 400 ? error.status : 500;
  return { status, error, outcomes, retryAfterSeconds: status === 503 ? RETRY_AFTER_SECONDS : undefined };
}

/** The headers that go with an answer. */
export function answerHeaders({ status, retryAfterSeconds }: DeliveryResult): [name: string, value: string][] {
  if (status === 405) return [['Allow', 'POST']];
  return retryAfterSeconds === undefined ? [] : [['Retry-After', String(retryAfterSeconds)]];
}

/** Any error as one of this library: what is none of its own is a failure inside it. */
export function asWebhookError(cause: unknown): WebhookError {
  if (isWebhookError(cause)) return cause;
  return new WebhookError('ERR_WEBHOOK_INTERNAL', 'The receiver failed, or a function of its options.', {
    cause,
  });
}
