import { type EventIssue, InvalidEventError, type WebhookError } from '../errors.js';
import type { DeliveryItem, EventItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import { mapAtMost } from '../internal/map-at-most.js';
import type { LogStore } from '../stores/log-store.js';
import type { StoreMemory } from '../stores/store.js';
import type { EventOutcome, Items } from './answer.js';
import { createBefore } from './before.js';
import type { AboutDelivery } from './context.js';
import { createCountFailures } from './count-failures.js';
import { Deadline } from './deadline.js';
import { keyOf } from './idempotency-key.js';
import { sharedOf } from './once.js';
import type { HandleOptions } from './options.js';
import { errorOf, handlerError } from './outcome.js';
import type { FollowedReceiver, Following } from './reorgs.js';
import { createEnqueueAll, createHandleEach } from './run-each.js';
import { traceEvent } from './tracing.js';
import type { Afterwards } from './types.js';

/** Passes the items of an authentic delivery to user code and returns the outcome of each. Never rejects. */
export type Dispatch = (items: readonly DeliveryItem[], about: AboutDelivery) => Promise<EventOutcome[]>;

export function createDispatch<Tx>(
  options: HandleOptions<Tx>,
  afterwards: Afterwards,
  passes: Pick<FollowedReceiver, 'gate' | 'settled'>,
): { readonly dispatch: Dispatch; readonly following: Following | undefined } {
  const { onEvent, onEvents, enqueue, onInvalid, onUnknown, concurrency, handlerTimeoutMs, finality } = options;
  const { store, reorgs, deadLetters, onReverted, onRevertedEvents } = options;
  const { letters, logs } = (store || {}) as StoreMemory;
  const shared = sharedOf(store, handlerTimeoutMs, afterwards, {
    countFailures: deadLetters && letters && createCountFailures(letters, deadLetters, afterwards),
    logOf: reorgs?.logOf,
  });
  const handle = enqueue
    ? createEnqueueAll(shared, enqueue, finality !== undefined)
    : createHandleEach(shared, onEvent, onEvents);
  const following = reorgs?.follow({
    ...passes,
    logs: logs as LogStore,
    apply: handle,
    revert: createHandleEach(shared, onReverted, onRevertedEvents),
    keep: createHandleEach(shared, undefined),
    report: afterwards.report,
  });
  // With `enqueue`, the worker checks finality.
  const before = finality && !enqueue ? createBefore(finality, shared) : following?.before;

  /** Passes an unknown or invalid item to its hook, if there is one. */
  async function askHook<Item extends InvalidItem | UnknownItem>(
    item: Item,
    hook: ((item: Item) => unknown) | undefined,
    { host }: AboutDelivery,
    refusal?: WebhookError,
  ): Promise<EventOutcome> {
    const { status } = item;
    if (hook === undefined) return { status, item, error: refusal };
    const limit = new Deadline(handlerTimeoutMs, host);
    try {
      await limit.run(() => hook(item), afterwards.hold);
      return { status, item };
    } catch (cause) {
      return { status: 'failed', item, error: errorOf(cause, limit) };
    }
  }

  const dispatch: Dispatch = async (items, given) => {
    const about = reorgs ? { ...given, application: 1 } : given;
    const [retried] = items;
    if (following && about.retryOf !== undefined) {
      return [await following.retry(retried as EventItem, about.retryOf, about)];
    }
    const keys = new Map<EventItem, string>();
    /** Outcomes of events that are not handled; by event, because events of different blocks may share a key. */
    const kept = new Map<DeliveryItem, EventOutcome>();
    for (const item of items) {
      if (item.status !== 'event') continue;
      try {
        keys.set(item, about.retryOf ?? keyOf(options.idempotencyKey, item.event, about.source));
      } catch (cause) {
        kept.set(item, { status: 'failed', item, error: handlerError(cause) });
      }
    }
    if (before) for (const [item, outcome] of await before(keys, about)) kept.set(item, outcome);
    const all = onEvent ? undefined : handle(firstsOf(keys, kept), about).then(byKey);
    const settled = new Map<string, Promise<EventOutcome>>();
    let invalid: InvalidEventError | undefined;

    async function settle(item: DeliveryItem): Promise<EventOutcome> {
      if (item.status === 'unknown') return askHook(item, onUnknown, about);
      if (item.status === 'invalid') {
        invalid ??= invalidError(items);
        return askHook(item, onInvalid, about, invalid);
      }
      const outcome = kept.get(item);
      if (outcome) return outcome;
      const key = keys.get(item) as string;
      const same = settled.get(key);
      if (same) return repeatOf(await same, item);
      const own = all
        ? all.then((found) => found.get(key) as EventOutcome)
        : handle(new Map([[key, item]]), about).then(([found]) => found as EventOutcome);
      settled.set(key, own);
      return own;
    }

    const outcomes = await mapAtMost(concurrency, items, (item) => traceEvent(() => settle(item), { item }));
    // A duplicate may be of a log that was reverted.
    for (const { status, item } of outcomes) {
      if (status === 'duplicate' && item.status === 'event') following?.hint(item.event);
    }
    return outcomes;
  };
  return { dispatch, following };
}

/** Most issues in the error of a delivery. */
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

/** The outcome of an event with the same key as an earlier event of the delivery. */
function repeatOf(first: EventOutcome, item: DeliveryItem): EventOutcome {
  return { ...first, item, status: first.error ? first.status : 'duplicate' };
}

/** The events to handle, each key once. */
function firstsOf(keys: ReadonlyMap<EventItem, string>, kept: ReadonlyMap<DeliveryItem, unknown>): Items {
  const firsts = new Map<string, EventItem>();
  for (const [item, key] of keys) if (!kept.has(item) && !firsts.has(key)) firsts.set(key, item);
  return firsts;
}

function byKey(outcomes: readonly EventOutcome[]): Map<string, EventOutcome> {
  return new Map(outcomes.map((outcome) => [outcome.idempotencyKey as string, outcome]));
}
