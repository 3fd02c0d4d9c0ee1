import { ConfigError } from '../errors.js';
import { parseItems } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { DeliveryResult } from '../handle/answer.js';
import { mapAtMost } from '../handle/dispatch.js';
import { onceOf } from '../handle/ground.js';
import { keyOf } from '../handle/idempotency-key.js';
import { type KeyState, probe } from '../handle/probe.js';
import { traceDelivery } from '../handle/tracing.js';
import type { HandleOptions } from '../handle/types.js';
import { optionError } from '../internal/check-options.js';
import type { Receive, Take } from '../receive/receive.js';
import type { SecretRequest } from '../receive/secret.js';

/** How many keys a `peek` asks for at once: fewer than a usual pool has connections. */
const LANES = 4;

/** Options of `handleEvents` and `peek`. */
export interface OwnEventsOptions {
  /** The request that the receiver's `secret` is called with if it is a function. (Default: one without headers.) */
  readonly request?: SecretRequest | undefined;
}

/** The methods of a receiver for events that the program read itself, from the chain or from the service. */
export interface OwnEvents {
  /** The idempotency key of an event, without its source. Throws what the option `idempotencyKey` throws. */
  idempotencyKey(event: WebhookEvent): string;
  /**
   * Returns since when every key that took effect is still known, in epoch milliseconds; undefined if the store or the
   * queue cannot tell.
   */
  rememberedSince(): number | undefined;
  /**
   * Handles events that the program read itself: parsed, deduplicated, handled, traced and counted in `maxInFlight` like a
   * delivery, and neither signed nor limited in size. Never rejects.
   */
  handleEvents(events: readonly WebhookEvent[], options?: OwnEventsOptions): Promise<DeliveryResult>;
  /**
   * Returns which events have taken effect, in order, without handling any. Each key is claimed for a moment: a delivery of
   * the same event that arrives meanwhile is answered 503. Rejects with `ERR_WEBHOOK_STORE`, or with ConfigError for a
   * receiver with `enqueue` or `store: false`.
   */
  peek(events: readonly WebhookEvent[], options?: OwnEventsOptions): Promise<KeyState[]>;
}

export function createOwnEvents<Tx>(
  { enqueue, store, idempotencyKey, handlerTimeoutMs }: HandleOptions<Tx>,
  { findSecret, refuse }: Pick<Receive, 'findSecret' | 'refuse'>,
  take: Take<DeliveryResult>,
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
          const { source } = await findSecret(options?.request);
          const rawBody = JSON.stringify(events);
          const timestamp = String(Math.floor(Date.now() / 1000));
          return await take({ rawBody, timestamp, source, items: parseItems(rawBody, Number.POSITIVE_INFINITY) });
        } catch (error) {
          return refuse(error);
        }
      }, {}),

    async peek(events, options) {
      if (enqueue || !store) {
        throw new ConfigError(
          `\`peek\` needs the receiver's store, which a receiver with ${enqueue ? '`enqueue`' : '`store: false`'} does not use.`,
        );
      }
      const { source } = await findSecret(options?.request);
      const keys = events.map((event) => keyOf(idempotencyKey, event, source));
      const once = onceOf(store);
      // Each key once: a second probe would find the first.
      const asked = [...new Set(keys)];
      const states = await mapAtMost(LANES, asked, (key) => probe(once, key, handlerTimeoutMs));
      return keys.map((key) => states[asked.indexOf(key)] as KeyState);
    },
  };
}
