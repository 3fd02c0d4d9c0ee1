import { ConfigError } from '../errors.js';
import { type DeliveryItem, parseItems } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { DeliveryResult } from '../handle/answer.js';
import { type KeyState, probe } from '../handle/before.js';
import { type AboutDelivery, receivedIn } from '../handle/context.js';
import { keyOf } from '../handle/idempotency-key.js';
import { onceOf } from '../handle/once.js';
import type { HandleOptions } from '../handle/options.js';
import { traceDelivery } from '../handle/tracing.js';
import { optionError } from '../internal/check-options.js';
import { mapAtMost } from '../internal/map-at-most.js';
import type { ReceiveOptions } from '../receive/options.js';
import type { Receive } from '../receive/receive.js';
import type { StoredRecord } from '../stores/record-store.js';

/** How many keys `peek` probes at once: fewer than a usual pool has connections. */
const LANES = 4;

/** Options of `peek` and `status`. */
export interface PeekOptions {
  /**
   * The source that prefixes the idempotency keys, like the source that a `secret` function returns; `false` for none.
   * Required if the receiver's `secret` is a function: under another key, an event that was already delivered would
   * take effect again. (Default: none.)
   */
  readonly source?: string | false | undefined;
}

/** Options of `handleEvents`. */
export interface HandleEventsOptions extends PeekOptions {
  /** How the events arrived, such as `reconcile` or the name of a queue, for `context.via`. (Default: undefined.) */
  readonly via?: string | undefined;
}

/** The record of an event. Times are in epoch milliseconds. */
export interface EventRecord extends StoredRecord {
  /** With the prefix of its source. */
  readonly idempotencyKey: string;
}

/** The methods of a receiver for events that the program read itself, from the chain or from the service. */
export interface OwnEvents {
  /** The idempotency key of an event, without its source. Throws what the option `idempotencyKey` throws. */
  idempotencyKey(event: WebhookEvent): string;
  /**
   * Returns the time, in epoch milliseconds, since which every key that took effect is still known; undefined if the
   * store or the queue cannot tell.
   */
  rememberedSince(): number | undefined;
  /**
   * Handles events that the program read itself: parsed, deduplicated, handled, traced and counted in `maxInFlight`
   * like a delivery, but without a signature or a size limit. Never rejects.
   */
  handleEvents(events: readonly WebhookEvent[], options?: HandleEventsOptions): Promise<DeliveryResult>;
  /**
   * Returns which events have taken effect, in order, without handling any. Each key is claimed for a moment: a delivery of
   * the same event that arrives meanwhile gets 503. Rejects with `ERR_WEBHOOK_STORE`, or with ConfigError for a
   * receiver with `enqueue` or `store: false`.
   */
  peek(events: readonly WebhookEvent[], options?: PeekOptions): Promise<KeyState[]>;
  /**
   * Returns the records of an event: of the event itself, its whole idempotency key, or `{ eventId }` in all sources,
   * at most 100. An empty array proves nothing: the event may not have arrived, its run may have been rolled back, or
   * the store may have forgotten its key. `source` is needed only with an event, as for `peek`. Rejects with
   * ConfigError if the store keeps no records, and with `ERR_WEBHOOK_STORE` if it fails.
   */
  status(which: WebhookEvent | string | { readonly eventId: string }, options?: PeekOptions): Promise<EventRecord[]>;
}

/** The source of the events. Throws ConfigError if it is missing or invalid. */
function sourceOf(secret: ReceiveOptions['secret'], { source }: PeekOptions = {}): string | undefined {
  if (source === undefined && typeof secret === 'function') throw new ConfigError(NO_SOURCE);
  if (source === undefined || source === false) return undefined;
  if (typeof source === 'string' && source !== '') return source;
  throw optionError('source', 'a non-empty string, or false', source);
}

export function createOwnEvents<Tx>(
  { secret, enqueue, store, idempotencyKey, handlerTimeoutMs }: HandleOptions<Tx> & Pick<ReceiveOptions, 'secret'>,
  refuse: Receive['refuse'],
  handle: (items: readonly DeliveryItem[], about: AboutDelivery) => Promise<DeliveryResult>,
): OwnEvents {
  return {
    idempotencyKey,

    rememberedSince() {
      const storeSince = () => (store ? store.rememberedSince?.() : undefined);
      const since: unknown = enqueue ? Date.now() - Number(enqueue.retentionMs) : storeSince();
      return Number.isFinite(since) ? (since as number) : undefined;
    },

    handleEvents: (events, options) =>
      traceDelivery(async () => {
        try {
          if (!Array.isArray(events)) throw optionError('events', 'an array of events', events);
          const source = sourceOf(secret, options);
          const timestamp = String(Math.floor(Date.now() / 1000));
          const text = JSON.stringify(events);
          const items = parseItems(text, Number.POSITIVE_INFINITY);
          return await handle(items, { source, timestamp, via: options?.via, asReceived: receivedIn(text, items) });
        } catch (error) {
          return refuse(error);
        }
      }, {}),

    async peek(events, options) {
      if (!store) throw new ConfigError(NO_STORE);
      const source = sourceOf(secret, options);
      const keys = events.map((event) => keyOf(idempotencyKey, event, source));
      const once = onceOf(store);
      // Each key once: two probes of one key would block each other.
      const asked = [...new Set(keys)];
      const states = await mapAtMost(LANES, asked, (key) => probe(once, key, handlerTimeoutMs));
      return keys.map((key) => states[asked.indexOf(key)] as KeyState);
    },

    async status(which, options) {
      const records = store ? store.records : undefined;
      if (!records) throw new ConfigError(NO_RECORDS);
      if (typeof which === 'object' && 'eventId' in which) {
        if (!records.find) throw new ConfigError('This store finds records by idempotency key only, not by event id.');
        return entriesOf(await records.find(which.eventId));
      }
      const key = typeof which === 'string' ? which : keyOf(idempotencyKey, which, sourceOf(secret, options));
      return entriesOf(await records.look([key]));
    },
  };
}

function entriesOf(found: ReadonlyMap<string, StoredRecord>): EventRecord[] {
  return [...found].map(([idempotencyKey, record]) => ({ idempotencyKey, ...record }));
}

const NO_STORE = "`peek` needs the receiver's store, which a receiver with `enqueue` or `store: false` does not use.";
const NO_RECORDS = '`status` needs a store that keeps records, such as `sqlStore`, and a receiver without `enqueue`.';
const NO_SOURCE =
  'The `secret` of this receiver is a function, so its deliveries may have a source, which prefixes their keys. Pass the same `source`, or `source: false` if the function returns none.';
