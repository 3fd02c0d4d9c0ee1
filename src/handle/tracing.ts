import { channel, tracingChannel } from '#runtime';
import type { DeliveryItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import type { DeliveryResult, EventOutcome, Items } from './answer.js';
import type { DeadLetter } from './dead-letter.js';

/** Published for each delivery. */
export interface DeliveryMessage {
  /** A header by its name in lower case; absent when the caller passed the parts without a request. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Size of the body, once it has arrived. */
  bodyBytes?: number | undefined;
  /** The answer, from `asyncStart` on; undefined for a delivery that a verifier accepted: your code answers it. */
  result?: DeliveryResult | undefined;
}

/** Published for each item of an authentic delivery. */
export interface EventMessage {
  readonly item: DeliveryItem;
  /** The outcome of the item, from `asyncStart` on. */
  result?: EventOutcome;
}

/** Published for each call of user code: `onEvent` with one event, or `onEvents` or `enqueue` with several. */
export interface HandlerMessage {
  readonly events: readonly WebhookEvent[];
  /** The error, if it failed. */
  error?: unknown;
}

/** Published when the number of places in use changes. A receiver publishes the same object each time. */
export interface InFlightMessage {
  /** Places of `maxInFlight` in use: deliveries that are being handled, and handlers that outlast their time limit. */
  readonly inFlight: number;
}

/** The result of a pass over the logs whose blocks are not final. Published for each pass. */
export interface ReorgReport {
  /** ID of the chain. */
  readonly chainId: number;
  /** Events that took effect because their block is on the chain: again, or for the first time. */
  readonly applied: number;
  /** Events whose effect was reverted. */
  readonly reverted: number;
  /** Events whose handler failed, or that could not be read; the next pass tries them again. */
  readonly failed: number;
  /** Events whose block became final, so that they do not change any more. */
  readonly final: number;
  /** Events whose block is not final. */
  readonly open: number;
  /** Number of the lowest block of these. */
  readonly oldestBlock?: number | undefined;
  /** Whether another replica was at work, so that this pass did nothing. */
  readonly isElsewhere: boolean;
}

/**
 * Publishes the start and end of `work` on a tracing channel, if it has subscribers. Always publishes where the runtime
 * cannot tell (Node before 20.13).
 */
function createTrace<Message extends object>(name: string) {
  const channel = tracingChannel<unknown, Message>(`event-webhook-receiver:${name}`);
  return <T>(work: () => Promise<T>, message: Message): Promise<T> =>
    channel.hasSubscribers === false ? work() : channel.tracePromise(work, message);
}

/**
 * Calls a handler: returns what it returns, and throws what it throws in the same turn. The trace ends when the handler
 * settles, or with the reason of `limit.signal`.
 */
export function traceHandler<T>(work: () => T, items: Items, limit?: { readonly signal: AbortSignal }): T {
  if (handlers.hasSubscribers === false) return work();
  const message: HandlerMessage = { events: [...items.values()].map(({ event }) => event) };
  // Replaced below in the same turn: `tracePromise` calls its function at once.
  let outcome = work;
  const traced = handlers.tracePromise(async () => {
    try {
      const returned = work();
      outcome = () => returned;
    } catch (thrown) {
      outcome = () => {
        throw thrown;
      };
    }
    const returned = outcome();
    return limit && isThenable(returned) ? Promise.race([returned, expiry(limit.signal)]) : returned;
  }, message);
  ignorePromise(traced);
  return outcome();
}

function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Publishes a new dead letter. */
export const traceDeadLetter = (letter: DeadLetter): void => letters.publish(letter);

/** Publishes the report of a pass over logs. */
export const traceReorgs = (report: ReorgReport): void => reorgs.publish(report);

export const traceDelivery = /* @__PURE__ */ createTrace<DeliveryMessage>('delivery');
export const traceEvent = /* @__PURE__ */ createTrace<EventMessage>('event');
const letters = /* @__PURE__ */ channel('event-webhook-receiver:dead-letter');
const reorgs = /* @__PURE__ */ channel('event-webhook-receiver:reorgs');
const handlers = /* @__PURE__ */ tracingChannel<unknown, HandlerMessage>('event-webhook-receiver:handler');
