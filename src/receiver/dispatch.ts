import { InvalidEventError, type WebhookError } from '../errors.js';
import type { DeliveryItem, EventItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import { typeName } from '../internal/check-options.js';
import { ignorePromise } from '../internal/guards.js';
import type { EventOutcome } from './answer.js';
import type { Afterwards } from './attempt.js';
import { handlerError } from './attempt-errors.js';
import type { VerifiedDelivery } from './delivery-request.js';
import { createEnqueueEach } from './enqueue-each.js';
import type { resolveReceiverOptions } from './resolve-options.js';
import { createHandleEach } from './run-each.js';
import { createHandleOnce } from './run-once.js';
import { TimeLimit } from './time-limit.js';
import { traceEvent } from './tracing.js';

/** Passes the items of an authentic delivery to user code and returns the outcome of each. Never rejects. */
export type Dispatch = (delivery: VerifiedDelivery) => Promise<EventOutcome[]>;

export function createDispatch<Tx>(
  options: ReturnType<typeof resolveReceiverOptions<Tx>>,
  afterwards: Afterwards,
): Dispatch {
  const { onEvents, enqueue, onInvalid, onUnknown, concurrency, handlerTimeoutMs } = options;
  const handleOnce = createHandleOnce(options, afterwards);
  const handleEach = onEvents
    ? createHandleEach({ ...options, onEvents }, afterwards)
    : enqueue && createEnqueueEach(enqueue, handlerTimeoutMs, afterwards);

  /** Passes an unknown or invalid item to its hook, if there is one. */
  async function take<Item extends InvalidItem | UnknownItem>(
    item: Item,
    hook: ((item: Item) => unknown) | undefined,
    refusal?: WebhookError,
  ): Promise<EventOutcome> {
    if (hook === undefined) return { status: item.status, item, error: refusal };
    try {
      await new TimeLimit(handlerTimeoutMs).run(() => hook(item), afterwards.hold);
      return { status: item.status, item };
    } catch (cause) {
      return { status: 'failed', item, error: handlerError(cause) };
    }
  }

  function keyOf(item: EventItem, source: string | undefined): string | WebhookError {
    try {
      const key: unknown = options.idempotencyKey(item.event);
      // An empty key is a missing field, and events that share one would suppress each other.
      if (typeof key === 'string' && key !== '') return keyWithin(source, key);
      ignorePromise(key);
      throw new TypeError(`\`idempotencyKey\` must return a non-empty string synchronously, got ${typeName(key)}.`);
    } catch (cause) {
      return handlerError(cause);
    }
  }

  return async (delivery) => {
    const { items, timestamp, source } = delivery;
    const keys = items.map((item) => (item.status === 'event' ? keyOf(item, source) : undefined));
    const handled = handleEach?.(firstOfEach(items, keys), { source, timestamp }).then(byKey);
    const settled = new Map<string, Promise<EventOutcome>>();

    async function settle(item: DeliveryItem, index: number): Promise<EventOutcome> {
      if (item.status === 'unknown') return take(item, onUnknown);
      if (item.status === 'invalid') return take(item, onInvalid, new InvalidEventError(item.issues));
      const key = keys[index];
      if (typeof key !== 'string') return { status: 'failed', item, error: key };
      const same = settled.get(key);
      const first = same && (await same);
      if (first !== undefined) return { ...first, item, status: first.error ? first.status : 'duplicate' };
      const outcome = handled
        ? handled.then((outcomes) => outcomes.get(key) as EventOutcome)
        : handleOnce(item, { idempotencyKey: key, source, timestamp });
      if (handled || options.store !== false) settled.set(key, outcome);
      return outcome;
    }

    return mapAtMost(concurrency, items, (item, index) => traceEvent(() => settle(item, index), { item }));
  };
}

/**
 * The key of an event within its source. Distinct pairs of source and key never collide, with or without a source: `::` ends
 * a source, in which colons are escaped, and a key without a source that contains `::` is prefixed with it.
 */
function keyWithin(source: string | undefined, key: string): string {
  if (source !== undefined) return `${source.replace(/[%:]/g, encodeURIComponent)}::${key}`;
  return key.includes('::') ? `::${key}` : key;
}

/** The first event of each key. */
function firstOfEach(
  items: readonly DeliveryItem[],
  keys: readonly (string | WebhookError | undefined)[],
): Map<string, EventItem> {
  const firsts = new Map<string, EventItem>();
  for (const [index, item] of items.entries()) {
    const key = keys[index];
    if (item.status === 'event' && typeof key === 'string' && !firsts.has(key)) firsts.set(key, item);
  }
  return firsts;
}

function byKey(outcomes: readonly EventOutcome[]): Map<string | undefined, EventOutcome> {
  return new Map(outcomes.map((outcome) => [outcome.idempotencyKey, outcome]));
}

/** Maps in order, with at most `most` calls at once. */
async function mapAtMost<T, R>(
  most: number,
  from: readonly T[],
  to: (each: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    while (next < from.length) {
      const index = next++;
      results[index] = await to(from[index] as T, index);
    }
  };
  await (most === 1 ? work() : Promise.all(Array.from({ length: Math.min(most, from.length) }, work)));
  return results;
}
