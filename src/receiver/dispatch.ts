import { InvalidEventError, WebhookError } from '../errors.js';
import type { DeliveryItem, EventItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { typeName } from '../internal/check-options.js';
import { ignorePromise } from '../internal/guards.js';
import type { EventOutcome } from './answer.js';
import type { Afterwards } from './attempt.js';
import { handlerError } from './attempt-errors.js';
import type { VerifiedDelivery } from './delivery-request.js';
import type { resolveReceiverOptions } from './resolve-options.js';
import { createHandleOnce } from './run-once.js';
import { TimeLimit } from './time-limit.js';
import { traceEvent, traceHandler } from './tracing.js';

/** Passes the items of an authentic delivery to user code and returns the outcome of each. Never rejects. */
export type Dispatch = (delivery: VerifiedDelivery) => Promise<EventOutcome[]>;

export function createDispatch<Tx>(
  options: ReturnType<typeof resolveReceiverOptions<Tx>>,
  afterwards: Afterwards,
): Dispatch {
  const { enqueue, onInvalid, onUnknown, concurrency, handlerTimeoutMs } = options;
  const handleOnce = createHandleOnce(options, afterwards);

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

  /** Enqueues the first event of each key. Resolves to the error if that failed. */
  async function store(
    events: Map<string, WebhookEvent>,
    { timestamp, source }: VerifiedDelivery,
  ): Promise<WebhookError | undefined> {
    if (enqueue === undefined || events.size === 0) return undefined;
    try {
      const entries = [...events].map(([idempotencyKey, event]) => ({ event, idempotencyKey }));
      const limit = new TimeLimit(handlerTimeoutMs);
      const { signal, deadline } = limit;
      const work = () => enqueue(entries, { signal, deadline, timestamp, source });
      await traceHandler(() => limit.run(work, afterwards.hold), { events: [...events.values()] });
      return undefined;
    } catch (cause) {
      return new WebhookError('ERR_WEBHOOK_ENQUEUE', '`enqueue` failed, so the delivery will be sent again.', {
        cause,
      });
    }
  }

  return async (delivery) => {
    const { items, timestamp, source } = delivery;
    const keys = items.map((item) => (item.status === 'event' ? keyOf(item, source) : undefined));
    const stored = enqueue && store(firstOfEach(items, keys), delivery);
    const settled = new Map<string, Promise<EventOutcome>>();

    async function settle(item: DeliveryItem, index: number): Promise<EventOutcome> {
      if (item.status === 'unknown') return take(item, onUnknown);
      if (item.status === 'invalid') return take(item, onInvalid, new InvalidEventError(item.issues));
      const key = keys[index];
      if (typeof key !== 'string') return { status: 'failed', item, error: key };
      const same = settled.get(key);
      const first = same && (await same);
      if (first !== undefined) return { ...first, item, status: first.error ? first.status : 'duplicate' };
      const outcome = stored
        ? stored.then((error) => outcomeOf(item, key, error))
        : handleOnce(item, { idempotencyKey: key, source, timestamp });
      if (options.store !== false) settled.set(key, outcome);
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
): Map<string, WebhookEvent> {
  const firsts = new Map<string, WebhookEvent>();
  for (const [index, item] of items.entries()) {
    const key = keys[index];
    if (item.status === 'event' && typeof key === 'string' && !firsts.has(key)) firsts.set(key, item.event);
  }
  return firsts;
}

function outcomeOf(item: EventItem, idempotencyKey: string, error: WebhookError | undefined): EventOutcome {
  return { status: error ? 'failed' : 'stored', item, idempotencyKey, error };
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
