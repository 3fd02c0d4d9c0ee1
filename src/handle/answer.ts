import { isWebhookError, statusOf, WebhookError } from '../errors.js';
import type { DeliveryItem, EventItem } from '../events/parse-delivery.js';

/** Events by idempotency key. */
export type Items = ReadonlyMap<string, EventItem>;

/** The outcome of one item of a delivery. An item with `error` was not acknowledged and will be redelivered. */
export interface EventOutcome {
  /**
   * `handled`: the handler resolved. `stored`: the enqueue resolved. `duplicate`: the event had already taken effect.
   * `dead-lettered`: the handler failed for good, and the store keeps the event as a dead letter (`deadLetters`).
   * `in-progress`: the event is being handled elsewhere. `failed`: the handler, the enqueue or the store failed, or the
   * host left too little time. `not-final`: the event's block is not final yet, or no node could confirm it. `dropped`:
   * another final block replaced the event's block, or the event is a removal notice with nothing to undo (`finality`).
   * `unknown`: the item is of a kind that this version does not know. `invalid`: the item does not match the event
   * schema.
   */
  readonly status:
    | 'handled'
    | 'stored'
    | 'duplicate'
    | 'dead-lettered'
    | 'dropped'
    | 'in-progress'
    | 'not-final'
    | 'failed'
    | 'unknown'
    | 'invalid';
  readonly item: DeliveryItem;
  readonly idempotencyKey?: string | undefined;
  /** All invalid items of a delivery share one error; `item.issues` has the issues of each item. */
  readonly error?: WebhookError | undefined;
  /** Delay before the next try, in ms, if `status` is `not-final`. */
  readonly retryAfterMs?: number | undefined;
}

/** How to answer a delivery, and why. Only `status` and `retryAfterSeconds` are for the sender. */
export interface DeliveryResult {
  /** HTTP status; the body is always empty. */
  readonly status: number;
  /** Why the status is not 200. For your logs, never for the sender. */
  readonly error?: WebhookError | undefined;
  /** The outcome of each item, in order; empty when the delivery was refused. */
  readonly outcomes: readonly EventOutcome[];
  /** Seconds for the Retry-After header, with 503. */
  readonly retryAfterSeconds?: number | undefined;
  /** Whether to close the connection after this answer, because the receiver is draining. */
  readonly closeConnection?: boolean | undefined;
}

/** An outcome for each event, all with the same status. */
export function outcomesOf(
  items: ReadonlyMap<string, EventItem>,
  status: EventOutcome['status'],
  error?: WebhookError,
): EventOutcome[] {
  return [...items].map(([idempotencyKey, item]) => ({ status, item, idempotencyKey, error }));
}

const RETRY_AFTER_SECONDS = 5;

/** The answer for an error, or 200. */
export function answerTo(error: WebhookError | undefined, outcomes: readonly EventOutcome[] = []): DeliveryResult {
  const status = error === undefined ? 200 : statusOf(error);
  return { status, error, outcomes, retryAfterSeconds: status === 503 ? secondsOf(outcomes) : undefined };
}

/** If items failed with different statuses, the delivery is answered with the last of these. */
const WORST_LAST = [422, 503, 500];

/** The answer for the items of a delivery. */
export function answerToAll(outcomes: readonly EventOutcome[]): DeliveryResult {
  let worst: WebhookError | undefined;
  for (const { error } of outcomes) if (error && (!worst || rank(error) > rank(worst))) worst = error;
  return answerTo(worst, outcomes);
}

function rank(error: WebhookError): number {
  return WORST_LAST.indexOf(statusOf(error));
}

/** The longest of the events' delays, so that no event is redelivered too early. */
function secondsOf(outcomes: readonly EventOutcome[]): number {
  const longestMs = outcomes.reduce((most, { retryAfterMs = 0 }) => Math.max(most, retryAfterMs), 0);
  return Math.ceil(longestMs / 1000) || RETRY_AFTER_SECONDS;
}

export function answerHeaders({ status, retryAfterSeconds, closeConnection }: DeliveryResult): Header[] {
  const headers: Header[] = [];
  if (status === 405) headers.push(['Allow', 'POST']);
  if (retryAfterSeconds !== undefined) headers.push(['Retry-After', String(retryAfterSeconds)]);
  if (closeConnection) headers.push(['Connection', 'close']);
  return headers;
}

type Header = [name: string, value: string];

/** Whether the body was read before the receiver could read it. The host's error handler should get this error. */
export function isUnavailable({ error }: DeliveryResult): boolean {
  return error?.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
}

/** The status of an answer, or 500 if it is not a valid status: Fetch and Lambda treat a missing one as 200. */
export function validStatus(status: unknown): number {
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599 ? (status as number) : 500;
}

/**
 * Converts an error to a WebhookError of this copy of the library. An error of another copy (a CommonJS adapter beside
 * an ESM receiver) is recreated from its code; any other error counts as a failure inside the receiver. Not for errors
 * that user code throws.
 */
export function asWebhookError(cause: unknown): WebhookError {
  if (WebhookError.codeOf(cause) !== undefined) return cause as WebhookError;
  try {
    if (isWebhookError(cause)) return new WebhookError(cause.code, String(cause.message), { cause });
  } catch {
    // The error cannot be read.
  }
  const message = 'The receiver failed, or a function in its options threw. See cause.';
  return new WebhookError('ERR_WEBHOOK_INTERNAL', message, { cause });
}
