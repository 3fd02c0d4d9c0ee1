import { type EventIssue, InvalidEventError, type WebhookError } from '../errors.js';
import type { DeliveryItem, EventItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import type { EventOutcome } from './answer.js';
import { handlerError } from './attempt-errors.js';
import { createBefore } from './before.js';
import { createEnqueueEach } from './enqueue-each.js';
import { type Afterwards, groundOf } from './ground.js';
import type { HostTime } from './host-time.js';
import { keyOf } from './idempotency-key.js';
import { createHandleEach, createHandleOnce } from './run-each.js';
import { traceEvent } from './tracing.js';
import type { HandleOptions, VerifiedDelivery } from './types.js';
import { createCallHook } from './user-hook.js';

/** Passes the items of an authentic delivery to user code and returns the outcome of each. Never rejects. */
export type Dispatch = (delivery: VerifiedDelivery, host?: HostTime) => Promise<EventOutcome[]>;

export function createDispatch<Tx>(options: HandleOptions<Tx>, afterwards: Afterwards): Dispatch {
  const { onEvents, enqueue, onInvalid, onUnknown, concurrency, handlerTimeoutMs, finality } = options;
  const handleOnce = createHandleOnce(options, afterwards);
  const handleEach = onEvents
    ? createHandleEach({ ...options, onEvents }, afterwards)
    : enqueue && createEnqueueEach({ enqueue, handlerTimeoutMs, finality }, afterwards);
  const callHook = createCallHook(handlerTimeoutMs, afterwards);
  // A queue stores at once, and its worker asks.
  const before = finality && !enqueue ? createBefore(finality, groundOf(options, afterwards)) : undefined;

  /** Passes an unknown or invalid item to its hook, if there is one. */
  async function take<Item extends InvalidItem | UnknownItem>(
    item: Item,
    hook: ((item: Item) => unknown) | undefined,
    host: HostTime | undefined,
    refusal?: WebhookError,
  ): Promise<EventOutcome> {
    if (hook === undefined) return { status: item.status, item, error: refusal };
    const error = await callHook(() => hook(item), host);
    return { status: error ? 'failed' : item.status, item, error };
  }

  function keyOrError(item: EventItem, source: string | undefined): string | WebhookError {
    try {
      return keyOf(options.idempotencyKey, item.event, source);
    } catch (cause) {
      return handlerError(cause);
    }
  }

  return async (delivery, host) => {
    const { items, timestamp, source } = delivery;
    const keys = items.map((item) => (item.status === 'event' ? keyOrError(item, source) : undefined));
    // By events and not by keys: events with the same key of your own may be of different blocks.
    const waiting = await before?.(keyed(items, keys), { source, timestamp, host });
    const handled = handleEach?.(firstOfEach(items, keys, waiting), { source, timestamp, host }).then(byKey);
    const settled = new Map<string, Promise<EventOutcome>>();
    let invalid: InvalidEventError | undefined;

    function settle(item: DeliveryItem, index: number): Promise<EventOutcome> {
      if (item.status === 'unknown') return take(item, onUnknown, host);
      if (item.status === 'invalid') {
        if (!onInvalid) invalid ??= invalidError(items);
        return take(item, onInvalid, host, invalid);
      }
      const key = keys[index];
      if (typeof key !== 'string') return Promise.resolve({ status: 'failed', item, error: key });
      const kept = waiting?.get(item);
      if (kept) return Promise.resolve(kept);
      const same = settled.get(key);
      if (same) return same.then((first) => repeatOf(first, item));
      const outcome = handled
        ? handled.then((outcomes) => outcomes.get(key) as EventOutcome)
        : handleOnce(item, { idempotencyKey: key, source, timestamp, host });
      if (handled || options.store !== false) settled.set(key, outcome);
      return outcome;
    }

    return await mapAtMost(concurrency, items, (item, index) => traceEvent(() => settle(item, index), { item }));
  };
}

/** How many issues the error of a delivery has. */
const MOST_ISSUES = 10;

/** The one error for all invalid items of a delivery. */
function invalidError(items: readonly DeliveryItem[]): InvalidEventError {
  const found: EventIssue[] = [];
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (item.status !== 'invalid') continue;
    count++;
    const issues = item.issues.slice(0, MOST_ISSUES - found.length);
    for (const { path, message } of issues) found.push({ path: [index, ...path], message });
  }
  return new InvalidEventError(found, count);
}

/** The outcome of an event whose key an earlier one of the delivery has. */
function repeatOf(first: EventOutcome, item: DeliveryItem): EventOutcome {
  return { ...first, item, status: first.error ? first.status : 'duplicate' };
}

type Keys = readonly (string | WebhookError | undefined)[];

/** The events that have a key. */
function keyed(items: readonly DeliveryItem[], keys: Keys): Map<EventItem, string> {
  const all = new Map<EventItem, string>();
  for (const [index, item] of items.entries()) {
    const key = keys[index];
    if (item.status === 'event' && typeof key === 'string') all.set(item, key);
  }
  return all;
}

/** The first event of each key, without those that have to wait. */
function firstOfEach(
  items: readonly DeliveryItem[],
  keys: Keys,
  waiting: ReadonlyMap<DeliveryItem, unknown> | undefined,
): Map<string, EventItem> {
  const firsts = new Map<string, EventItem>();
  for (const [item, key] of keyed(items, keys)) if (!waiting?.has(item) && !firsts.has(key)) firsts.set(key, item);
  return firsts;
}

function byKey(outcomes: readonly EventOutcome[]): Map<string | undefined, EventOutcome> {
  return new Map(outcomes.map((outcome) => [outcome.idempotencyKey, outcome]));
}

/** Maps in order, with at most `most` calls at once. */
export async function mapAtMost<T, R>(
  most: number,
  from: readonly T[],
  to: (each: T, index: number) => Promise<R>,
): Promise<R[]> {
  // The most common delivery needs no lanes.
  if (from.length === 1) return [await to(from[0] as T, 0)];
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    while (next < from.length) {
      const index = next++;
      results[index] = await to(from[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, from.length) }, work));
  return results;
}
