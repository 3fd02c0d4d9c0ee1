import { isWebhookError, statusOf, WebhookError } from '../errors.js';
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
  /** The connection is to be closed with this answer, as the receiver is draining. */
  readonly closeConnection?: boolean | undefined;
}

const RETRY_AFTER_SECONDS = 5;

/** The answer for an error, or 200. */
export function answerTo(error: WebhookError | undefined, outcomes: readonly EventOutcome[] = []): DeliveryResult {
  const status = error === undefined ? 200 : statusOf(error);
  return { status, error, outcomes, retryAfterSeconds: status === 503 ? RETRY_AFTER_SECONDS : undefined };
}

/** The headers that go with an answer. */
export function answerHeaders({ status, retryAfterSeconds, closeConnection }: DeliveryResult): Header[] {
  const headers: Header[] = [];
  if (status === 405) headers.push(['Allow', 'POST']);
  if (retryAfterSeconds !== undefined) headers.push(['Retry-After', String(retryAfterSeconds)]);
  if (closeConnection) headers.push(['Connection', 'close']);
  return headers;
}

type Header = [name: string, value: string];

/**
 * Any error as one that this copy of the library made. One of another copy (an adapter in CommonJS beside a receiver in
 * ESM) is made anew by its code; all others are a failure inside the receiver. Not for what user code throws.
 */
export function asWebhookError(cause: unknown): WebhookError {
  if (WebhookError.codeOf(cause) !== undefined) return cause as WebhookError;
  try {
    if (isWebhookError(cause)) return new WebhookError(cause.code, String(cause.message), { cause });
  } catch {
    // It throws when it is looked at.
  }
  return new WebhookError('ERR_WEBHOOK_INTERNAL', 'The receiver failed, or a function of its options.', {
    cause,
  });
}
