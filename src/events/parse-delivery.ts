import { type EventIssue, InvalidBodyError, InvalidEventError, WebhookError } from '../errors.js';
import { checkOptions, checkWhole } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import type { RawBody } from '../signature/verify-signature.js';
import { mayHoldFraction, parseExactJson } from './exact-json.js';
import { asDelivery, copyOf, mayHoldRounded } from './field-rules.js';
import { checkEventEmitted, checkTransactionIncluded } from './generated-checks.js';
import { countUnknown, isTooDeep, MANY_KEYS, MOST_LEVELS, TOO_DEEP } from './nesting.js';
import type { EventEmitted, TransactionIncluded, WebhookEvent } from './types.js';

/** An item of a delivery that is an event of a known kind. */
export interface EventItem {
  readonly status: 'event';
  readonly event: WebhookEvent;
}

/** An item with an id and an unknown event type. It is not an error. */
export interface UnknownItem {
  readonly status: 'unknown';
  readonly id: string;
  readonly kind: string;
  readonly raw: unknown;
}

/** An item that does not match the event schema of spec section 2.2, or nests deeper than 256 levels. */
export interface InvalidItem {
  readonly status: 'invalid';
  /** The first 10. */
  readonly issues: readonly EventIssue[];
  /**
   * As sent, but with `"…"` in place of objects and arrays nested deeper than 257 levels, so that it can be serialized.
   * Optional fields may have been filled in or dropped.
   */
  readonly raw: unknown;
}

/** One element of a delivery's array. */
export type DeliveryItem = EventItem | UnknownItem | InvalidItem;

/** Options of `parseDelivery`. */
export interface ParseDeliveryOptions {
  /** Largest number of items. (Default: 10 000.) */
  readonly maxEvents?: number | undefined;
}

/** The largest number of items by default. */
export const MAX_EVENTS = 10_000;

const tooDeep: EventIssue = { path: [], message: TOO_DEEP };
const unknownKind: EventIssue = {
  path: ['event'],
  message: 'expected "event.emitted" or "transaction.included"',
};

// ignoreBOM keeps a byte order mark in the text, so that JSON.parse rejects it: RFC 8259 forbids senders to add one.
const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the body of a delivery into its items (spec section 6). An invalid item does not affect the others; one that nests
 * deeper than 256 levels is invalid. It does not verify the signature: verify the body first.
 *
 * @example
 * ```ts
 * import { parseDelivery } from 'event-webhook-receiver';
 *
 * for (const item of parseDelivery('[]')) {
 *   if (item.status === 'event') console.log(item.event.id);
 * }
 * ```
 * @param rawBody The body as received.
 * @param options `maxEvents`: the largest number of items.
 * @returns The items in order. Events keep unknown keys.
 * @throws InvalidBodyError `ERR_WEBHOOK_INVALID_BODY` when the body is not a JSON array in UTF-8; WebhookError
 * `ERR_WEBHOOK_BODY_TOO_LARGE` when it has more than `maxEvents` items; ConfigError for an invalid option.
 */
export function parseDelivery(rawBody: RawBody, options: ParseDeliveryOptions = {}): DeliveryItem[] {
  checkOptions('parseDelivery', options, ['maxEvents']);
  const { maxEvents = MAX_EVENTS } = options;
  checkWhole('maxEvents', maxEvents, 1);
  return parseItems(rawBody, maxEvents);
}

/** Like {@link parseDelivery}, with an option that was checked before. */
export function parseItems(rawBody: RawBody, maxEvents: number): DeliveryItem[] {
  const text = decode(rawBody);
  return plainItems(text, maxEvents) ?? exactItems(text);
}

/** The items parsed with JSON.parse; undefined if one may be nested too deep or contain a rounded number. */
function plainItems(text: string, maxEvents: number): DeliveryItem[] | undefined {
  const values = parseArray(text);
  if (values.length > maxEvents) {
    throw new WebhookError(
      'ERR_WEBHOOK_BODY_TOO_LARGE',
      `The body has ${values.length} items, more than maxEvents (${maxEvents}). Raise maxEvents if the sender is yours.`,
    );
  }
  const items = asDelivery(() => values.map(checkItem));
  return needCare(items, text) ? undefined : items;
}

function exactItems(text: string): DeliveryItem[] {
  // Keep one level too many, so that a rejected item is also invalid when parsed again.
  const values = parseExactJson(text, MOST_LEVELS + 2, () => '…') as unknown[];
  return asDelivery(() =>
    values.map((raw) => (isTooDeep(raw) ? { status: 'invalid', issues: [tooDeep], raw } : checkItem(raw))),
  );
}

function decode(rawBody: RawBody): string {
  if (typeof rawBody === 'string') return rawBody;
  try {
    return utf8.decode(rawBody);
  } catch {
    throw new InvalidBodyError('The body is not valid UTF-8. Check the sender.');
  }
}

function parseArray(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, so it is not passed on.
    throw new InvalidBodyError('The body is not valid JSON. Check the sender.');
  }
  if (Array.isArray(value)) return value;
  throw new InvalidBodyError('The body is not a JSON array. Check the sender.');
}

function checkItem(raw: unknown): DeliveryItem {
  const issues: EventIssue[] = [];
  const kind = isRecord(raw) ? raw.event : undefined;
  if (kind === 'event.emitted') checkEventEmitted(raw, issues);
  else if (kind === 'transaction.included') checkTransactionIncluded(raw, issues);
  else {
    issues.push(...kindIssues(raw));
    if (issues.length === 0) return { status: 'unknown', id: (raw as UnknownItem).id, kind: kind as string, raw };
  }
  return issues.length === 0 ? { status: 'event', event: raw as WebhookEvent } : { status: 'invalid', issues, raw };
}

function kindIssues(raw: unknown): EventIssue[] {
  if (!isRecord(raw)) return [{ path: [], message: 'expected an object' }];
  const missing = ['id', 'event'].filter((key) => typeof raw[key] !== 'string');
  return missing.map((key) => ({ path: [key], message: 'expected a string' }));
}

/** Whether an item may be nested too deep, or contain a rounded number. */
function needCare(items: readonly DeliveryItem[], text: string): boolean {
  for (const item of items) {
    const value = item.status === 'event' ? item.event : item.raw;
    const unknown = item.status === 'event' && item.event.event === 'event.emitted' ? countUnknown(item.event) : 1;
    // Its numbers are positions and were checked.
    if (unknown === 0) continue;
    if (unknown > MANY_KEYS) return true;
    // Quantities can be anywhere in an open payload, and under unknown keys. This checks the depth too.
    if (mayHoldRounded(value)) return true;
  }
  return mayHoldFraction(text);
}

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
  return readable(() => {
    const kind = isRecord(value) ? value.event : undefined;
    if (kind === 'event.emitted') return parseEventEmitted(value);
    if (kind === 'transaction.included') return parseTransactionIncluded(value);
    const issues = isTooDeep(value) ? [tooDeep] : kindIssues(value);
    throw new InvalidEventError(issues.length > 0 ? issues : [unknownKind]);
  });
}

/**
 * Parses an `event.emitted` from an already parsed JSON value.
 *
 * @param value The parsed JSON value. It is not changed.
 * @returns The event: a copy, in which fields may have been filled in or dropped.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with `issues` when it does not match the schema of spec section 2.2.
 */
export function parseEventEmitted(value: unknown): EventEmitted {
  return readable(() => checked(value, checkEventEmitted)) as EventEmitted;
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
  return readable(() => checked(value, checkTransactionIncluded)) as TransactionIncluded;
}

function checked(value: unknown, check: (value: unknown, issues: EventIssue[]) => void): unknown {
  const issues: EventIssue[] = [];
  if (isTooDeep(value)) throw new InvalidEventError([tooDeep]);
  const event = copyOf(value);
  check(event, issues);
  if (issues.length > 0) throw new InvalidEventError(issues);
  return event;
}

/**
 * A value that throws when it is read (a proxy, a getter) is invalid like any other: callers handle one error class.
 */
function readable<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidEventError) throw error;
    throw new InvalidEventError([{ path: [], message: 'expected a value that can be read' }]);
  }
}
