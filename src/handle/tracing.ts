import { tracingChannel } from '#runtime';
import type { DeliveryItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { DeliveryResult, EventOutcome } from './answer.js';

/** Published for each delivery. */
export interface DeliveryMessage {
  /** A header by its name in lower case; absent when the caller passed the parts without a request. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Size of the body, once it has arrived. */
  bodyBytes?: number | undefined;
  /** The answer, from `asyncStart` on; undefined for a delivery that a verifier accepted, as your code answers it. */
  result?: DeliveryResult | undefined;
  /** A RawBodyUnavailableError, which has no answer. */
  error?: unknown;
}

/** Published for each item of an authentic delivery. */
export interface EventMessage {
  readonly item: DeliveryItem;
  /** Its outcome, from `asyncStart` on. */
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

type Trace<Message> = <Traced extends Promise<unknown> | undefined>(work: () => Traced, message: Message) => Traced;

/**
 * Publishes the start and end of `work` on a tracing channel, if it has subscribers. A runtime that cannot tell (Node before
 * 20.13) always publishes.
 */
function createTrace<Message extends object>(name: string): Trace<Message> {
  const channel = tracingChannel<unknown, Message>(`event-webhook-receiver:${name}`);
  return <Traced>(work: () => Traced, message: Message) => {
    if (channel.hasSubscribers === false) return work();
    // Newer Node warns of work that returns no promise.
    return channel.tracePromise(async () => work(), message) as Traced;
  };
}

export const traceDelivery: Trace<DeliveryMessage> = /* @__PURE__ */ createTrace('delivery');
export const traceEvent: Trace<EventMessage> = /* @__PURE__ */ createTrace('event');
export const traceHandler: Trace<HandlerMessage> = /* @__PURE__ */ createTrace('handler');
