import { type EventIssue, InvalidEventError } from '../errors.js';
import { type Check, checkEmitted, checkIncluded, checkKnown, issuesOf, TOO_DEEP } from './check-event.js';
import { isTooDeep } from './exact-json.js';
import type { EventEmitted, TransactionIncluded, WebhookEvent } from './types.js';

/**
 * Parses one event of either kind from an already parsed JSON value, such as one that a queue stored. It does not verify a signature.
 *
 * @example
 * ```ts
 * import { parseEvent } from 'event-webhook-receiver';
 *
 * const event = parseEvent(JSON.parse('{"id":"1","event":"transaction.included","data":{}}'));
 * if (event.event === 'transaction.included') console.log(event.data.status);
 * ```
 * @param value The parsed JSON value. It is not changed.
 * @returns The event, narrowed by `event`: a copy, in which fields may have been filled in or dropped.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with `issues` when it does not match the schema of spec section 2.2.
 */
export function parseEvent(value: unknown): WebhookEvent {
  return parseAs<WebhookEvent>(value, checkKnown);
}

/**
 * Parses an `event.emitted` from an already parsed JSON value.
 *
 * @param value The parsed JSON value. It is not changed.
 * @returns The event: a copy, in which fields may have been filled in or dropped.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with `issues` when it does not match the schema of spec section 2.2.
 */
export function parseEventEmitted(value: unknown): EventEmitted {
  return parseAs<EventEmitted>(value, checkEmitted);
}

/**
 * Parses a `transaction.included` from an already parsed JSON value. The spec leaves its payload open, so `data` may
 * be any object and is not checked further.
 *
 * @param value The parsed JSON value. It is not changed.
 * @returns A copy.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with `issues` when `id`, `event` or `data` is missing or of another type.
 */
export function parseTransactionIncluded(value: unknown): TransactionIncluded {
  return parseAs<TransactionIncluded>(value, checkIncluded);
}

/** A copy of a value that passes a check. Throws InvalidEventError for other values, and for one that throws when it is read. */
function parseAs<Result>(value: unknown, check: Check): Result {
  let copy: unknown;
  let issues: readonly EventIssue[];
  try {
    copy = isTooDeep(value) ? undefined : structuredClone(value);
    issues = copy === undefined && value !== undefined ? [TOO_DEEP] : issuesOf(copy, check);
  } catch {
    issues = [{ path: [], message: 'expected a value that can be read' }];
  }
  if (issues.length > 0) throw new InvalidEventError(issues);
  return copy as Result;
}
