import { ConfigError, InvalidEventError, parseDelivery } from 'event-webhook-receiver';
import { isRecord } from '../guards.js';
import type { Batch } from './change.js';
import type { State } from './state.js';
import { EVENT_KINDS, type EventKind } from './webhook.js';

/** An event as text, and its kind: none of the known ones only where it was not checked. */
export interface WireEvent {
  readonly kind: EventKind | undefined;
  readonly json: string;
}

/** Events above this many characters are refused. */
const MAX_EVENT = 8 * 1024 * 1024;
/** As are more than this many in one call. */
const MAX_EMITTED = 64 * 1024 * 1024;
/** A delivery of more than one event has no more characters: in UTF-8 it stays below what receivers take, 10 MiB. */
const MAX_TOGETHER = 2 * 1024 * 1024;

/**
 * Writes events as they go over the wire, and checks that what is written is what a receiver takes.
 *
 * @param unchecked Whether anything that JSON can hold will do.
 * @throws InvalidEventError `ERR_WEBHOOK_INVALID_EVENT` with the position of the first invalid event.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an event that cannot be written as JSON, or is too large.
 */
export function writeEvents(events: readonly unknown[], unchecked: boolean): WireEvent[] {
  if (!Array.isArray(events)) throw new ConfigError('`emit` takes an array of events.');
  let total = 0;
  return events.map((event, position) => {
    const json = write(event, position);
    total += json.length;
    if (total > MAX_EMITTED) throw new ConfigError('The events are larger than 64 MiB. Emit fewer at once.');
    // Parsed from the text: the check fills in an address label, and that is no part of what is sent.
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
  let json: string | undefined;
  try {
    json = goJson(inWireOrder(event));
  } catch {
    // JSON.stringify's own message quotes keys of the event.
  }
  if (json === undefined) throw new ConfigError(`Event ${position} cannot be written as JSON.`);
  if (json.length > MAX_EVENT) {
    throw new ConfigError(`Event ${position} is larger than ${MAX_EVENT / 1024 / 1024} MiB.`);
  }
  return json;
}

/** The key order of the service: id, event, data. */
function inWireOrder(event: unknown): unknown {
  if (!isRecord(event)) return event;
  const rank = ([key]: [string, unknown]) => ['id', 'event', 'data'].indexOf(key) + 1 || 4;
  return Object.fromEntries(Object.entries(event).sort((left, right) => rank(left) - rank(right)));
}

/** Cuts a list into portions of `most` at most, and of {@link MAX_TOGETHER} characters where they are more than one. */
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

/**
 * Puts events into deliveries: for each webhook those of the kinds that it subscribes to, at most `maxBatch` together
 * and fewer of large ones, in their order or `lastFirst`. What is of no known kind goes to all.
 */
export function batchesFor(
  { webhooks, next }: State,
  events: readonly WireEvent[],
  { maxBatch, lastFirst }: { readonly maxBatch: number; readonly lastFirst: boolean },
): Batch[] {
  const batches: Batch[] = [];
  let { delivery, event } = next;
  const byKinds = new Map<string, { chosen: WireEvent[]; webhookIds: number[] }>();
  for (const [webhookId, { record }] of webhooks) {
    const key = EVENT_KINDS.filter((kind) => record.subscriptions.includes(kind)).join();
    let group = byKinds.get(key);
    if (group === undefined) {
      const chosen = events.filter(({ kind }) => kind === undefined || record.subscriptions.includes(kind));
      group = { chosen, webhookIds: [] };
      byKinds.set(key, group);
    }
    group.webhookIds.push(webhookId);
  }
  for (const { chosen, webhookIds } of byKinds.values()) {
    for (const batch of portions(chosen, ({ json }) => json.length, maxBatch)) {
      if (lastFirst) batch.reverse();
      const to = webhookIds.map((webhookId) => {
        const firstEvent = event;
        event += batch.length;
        return { id: delivery++, webhookId, firstEvent };
      });
      batches.push({ body: `[${batch.map(({ json }) => json).join()}]`, events: batch.length, to });
    }
  }
  return batches;
}

/** JSON as Go writes it: compact, with its escapes. Parsed and serialised again in JavaScript it has other bytes. */
function goJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}
