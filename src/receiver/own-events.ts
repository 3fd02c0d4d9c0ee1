import { ConfigError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import { answerToAll, type DeliveryResult, type EventOutcome } from '../handle/answer.js';
import { mapAtMost } from '../handle/dispatch.js';
import { keyOf } from '../handle/idempotency-key.js';
import { type KeyState, probe } from '../handle/probe.js';
import type { Found } from '../receive/look-up.js';
import type { SignedRequest } from '../receive/request.js';
import { signDelivery } from '../signature/sign-delivery.js';
import type { SecretRequest } from '../receive/secret.js';
import type { ResolvedVerifierOptions, resolveReceiverOptions } from './resolve-options.js';

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
   * Handles events that the program read itself like a delivery of the sender: signed with the receiver's secret, verified,
   * deduplicated, handled, traced and counted in `maxInFlight`. Never rejects. Together the events must stay below
   * `maxBodyBytes`. More than `maxEvents` are handled in parts, one after the other; if a part is refused, `outcomes` is
   * empty although the parts before it were handled: call it again with all.
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
  { enqueue, store, idempotencyKey, handlerTimeoutMs }: ReturnType<typeof resolveReceiverOptions<Tx>>,
  { headers, now, maxEvents }: ResolvedVerifierOptions,
  pipeline: {
    handle(signed: SignedRequest, known: Found): Promise<DeliveryResult>;
    refuse(cause: unknown): DeliveryResult;
    findSecret(request: SecretRequest | undefined): Promise<Found>;
  },
): OwnEvents {
  async function deliver(events: readonly WebhookEvent[], options?: OwnEventsOptions): Promise<DeliveryResult> {
    const request = options?.request;
    const found = await pipeline.findSecret(request);
    const rawBody = JSON.stringify(events);
    const timestamp = Math.floor(now() / 1000);
    const signed = signDelivery(rawBody, { secret: [found.secret].flat()[0] as string, timestamp, headers });
    const { signature } = signed;
    return await pipeline.handle({ rawBody, signature, timestamp: signed.timestamp, request }, found);
  }

  return {
    idempotencyKey,

    rememberedSince() {
      const storeSince = () => (store ? store.rememberedSince?.() : undefined);
      const since: unknown = enqueue ? Date.now() - Number(enqueue.retentionMs) : storeSince();
      return Number.isFinite(since) ? (since as number) : undefined;
    },

    async handleEvents(events, options) {
      try {
        if (!(events.length > maxEvents)) return await deliver(events, options);
        const outcomes: EventOutcome[] = [];
        for (let start = 0; start < events.length; start += maxEvents) {
          const part = await deliver(events.slice(start, start + maxEvents), options);
          if (part.outcomes.length === 0) return part;
          for (const outcome of part.outcomes) outcomes.push(outcome);
        }
        return answerToAll(outcomes);
      } catch (error) {
        return pipeline.refuse(error);
      }
    },

    async peek(events, options) {
      if (enqueue || !store) {
        throw new ConfigError(
          `\`peek\` needs the receiver's store, which a receiver with ${enqueue ? '`enqueue`' : '`store: false`'} does not use.`,
        );
      }
      const { source } = await pipeline.findSecret(options?.request);
      const keys = events.map((event) => keyOf(idempotencyKey, event, source));
      return mapAtMost(LANES, keys, (key) => probe(store, key, handlerTimeoutMs));
    },
  };
}
