import { type EventIssue, InvalidBodyError, WebhookError } from '../errors.js';
import { checkOptions, checkWhole } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import type { RawBody } from '../signature/verify-signature.js';
import { checkEmitted, checkIncluded, checkUnknown, issuesOf, TOO_DEEP } from './check-event.js';
import { exactText, isLargeAndInexact, isTooDeep, MOST_LEVELS, needsCare } from './exact-json.js';
import type { WebhookEvent } from './types.js';

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
  let text = decode(rawBody);
  const isExact = isLargeAndInexact(text);
  // Replaced, so that a large text is freed.
  if (isExact) text = exactText(text);
  const values = plainValues(text, maxEvents, isExact);
  if (values) return values.map(checkItem);
  // One level too many is kept, so that a rejected item is also invalid when parsed again.
  text = exactText(text, MOST_LEVELS + 2);
  return (JSON.parse(text) as unknown[]).map((raw) =>
    isTooDeep(raw) ? { status: 'invalid', issues: [TOO_DEEP], raw } : checkItem(raw),
  );
}

/** What JSON.parse makes of the text; undefined if an item may have lost digits or be nested too deep. */
function plainValues(text: string, maxEvents: number, isExact: boolean): unknown[] | undefined {
  const values = parseArray(text);
  if (values.length > maxEvents) {
    throw new WebhookError(
      'ERR_WEBHOOK_BODY_TOO_LARGE',
      `The body has ${values.length} items, more than maxEvents (${maxEvents}). Raise maxEvents if the sender is yours.`,
    );
  }
  return (isExact ? isTooDeep(values) : needsCare(values, text)) ? undefined : values;
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
  const kind = isRecord(raw) ? raw.event : undefined;
  const isEmitted = kind === 'event.emitted';
  const isKnown = isEmitted || kind === 'transaction.included';
  const issues = issuesOf(raw, isEmitted ? checkEmitted : isKnown ? checkIncluded : checkUnknown);
  if (issues.length > 0) return { status: 'invalid', issues, raw };
  if (isKnown) return { status: 'event', event: raw as WebhookEvent };
  const { id, event } = raw as { id: string; event: string };
  return { status: 'unknown', id, kind: event, raw };
}
