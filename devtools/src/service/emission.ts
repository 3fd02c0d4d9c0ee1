import { ConfigError, InvalidEventError, parseDelivery } from 'event-webhook-receiver';
import { optionError } from '../check-options.js';
import { goJson } from '../explain/bytes.js';
import { attempt, isRecord } from '../guards.js';
import { type Delivery, newDelivery } from './delivery.js';
import type { State } from './state.js';
import { EVENT_KINDS, type EventKind } from './webhook.js';

/** An event as JSON text, and its kind; undefined only for an unchecked event of an unknown kind. */
export interface WireEvent {
  readonly kind: EventKind | undefined;
  readonly json: string;
}

/** The largest event, in characters. */
const MAX_EVENT = 8 * 1024 * 1024;
/** The largest total of one call, in characters. */
const MAX_EMITTED = 64 * 1024 * 1024;
/** The largest delivery of more than one event, in characters: in UTF-8 it stays below 10 MiB, which receivers accept. */
const MAX_TOGETHER = 2 * 1024 * 1024;

/**
 * Serializes events as they are sent, and checks that a receiver accepts the result.
 *
 * @param unchecked Whether to accept anything that JSON can represent.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with the position of the first invalid event.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an event that cannot be serialized as JSON or is too large.
 */
export function writeEvents(events: readonly unknown[], unchecked: boolean): WireEvent[] {
  if (!Array.isArray(events)) throw optionError('emit', 'called with an array of events', events);
  let total = 0;
  return events.map((event, position) => {
    const json = write(event, position);
    total += json.length;
    if (total > MAX_EMITTED)
      throw new ConfigError('The events of one `emit` are larger than 64 MiB. Emit fewer at once.');
    // The text is parsed, not the event itself: parsing fills in an address label, which is not sent.
    const [item] = unchecked ? [] : parseDelivery(`[${json}]`);
    if (item?.status === 'invalid') {
      throw new InvalidEventError(item.issues.map((issue) => ({ ...issue, path: [position, ...issue.path] })));
    }
    if (item?.status === 'unknown') {
      throw new InvalidEventError([{ path: [position, 'event'], message: `expected ${EVENT_KINDS.join(' or ')}` }]);
    }
    const kind = isRecord(event) ? EVENT_KINDS.find((each) => each === event.event) : undefined;
    return { kind, json };
  });
}

function write(event: unknown, position: number): string {
  // JSON.stringify's own message quotes keys of the event.
  const json = attempt(() => goJson(inWireOrder(event)));
  if (json === undefined)
    throw new ConfigError(
      `Event ${position} of \`emit\` cannot be serialized as JSON. Remove cycles, bigints and functions.`,
    );
  if (json.length > MAX_EVENT) {
    throw new ConfigError(
      `Event ${position} of \`emit\` is larger than ${MAX_EVENT / 1024 / 1024} MiB. Emit a smaller event.`,
    );
  }
  return json;
}

/** The key order of the service: id, event, data. */
function inWireOrder(event: unknown): unknown {
  if (!isRecord(event)) return event;
  const rank = ([key]: [string, unknown]) => ['id', 'event', 'data'].indexOf(key) + 1 || 4;
  return Object.fromEntries(Object.entries(event).sort((left, right) => rank(left) - rank(right)));
}

/** Splits a list into portions of at most `most` items; a portion of several items has at most {@link MAX_TOGETHER} characters. */
export function portions<Item>(
  items: readonly Item[],
  lengthOf: (item: Item) => number,
  most = Number.POSITIVE_INFINITY,
): Item[][] {
  const all: Item[][] = [];
  let portion: Item[] = [];
  let total = 0;
  for (const item of items) {
    const length = lengthOf(item);
    if (portion.length > 0 && (portion.length >= most || total + length > MAX_TOGETHER)) {
      all.push(portion);
      portion = [];
      total = 0;
    }
    portion.push(item);
    total += length;
  }
  return portion.length > 0 ? [...all, portion] : all;
}

/** Maximum number of events in a delivery. */
const MOST_EVENTS = 100;

/**
 * Batches events into deliveries: each webhook gets the kinds that it subscribes to, at most 100 in a delivery
 * and fewer if they are large, in their order or `lastFirst`. Events of an unknown kind go to every webhook.
 */
export function deliveriesFor(
  { webhooks, next }: State,
  events: readonly WireEvent[],
  { lastFirst, createdAt }: { readonly lastFirst: boolean; readonly createdAt: number },
): Delivery[] {
  const deliveries: Delivery[] = [];
  let { delivery: id, event: firstEvent } = next;
  /** Bodies by subscriptions: webhooks with the same ones share them. */
  const known = new Map<string, Pick<Delivery, 'body' | 'events'>[]>();
  for (const [webhookId, { record }] of webhooks) {
    const kinds = EVENT_KINDS.filter((kind) => record.subscriptions.includes(kind));
    const bodies =
      known.get(kinds.join()) ??
      bodiesOf(
        events.filter(({ kind }) => kind === undefined || kinds.includes(kind)),
        lastFirst,
      );
    known.set(kinds.join(), bodies);
    for (const each of bodies) {
      deliveries.push(newDelivery({ id: id++, webhookId, firstEvent, createdAt, ...each }));
      firstEvent += each.events;
    }
  }
  return deliveries;
}

const bodiesOf = (events: readonly WireEvent[], lastFirst: boolean) =>
  portions(events, ({ json }) => json.length, MOST_EVENTS).map((batch) => {
    if (lastFirst) batch.reverse();
    return { body: new TextEncoder().encode(`[${batch.map(({ json }) => json).join()}]`), events: batch.length };
  });
