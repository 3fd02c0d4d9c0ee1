import { tracingChannel } from '#runtime';
import type { DeliveryItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { DeliveryResult, EventOutcome } from './answer.js';

/** What is published about a delivery, from its headers to its answer. */
export interface DeliveryMessage {
  /** A header by its name in lower case; absent when the parts were handed over without a request. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Size of the body, once it has arrived. */
  bodyBytes?: number | undefined;
  /** The answer, from `asyncStart` on; undefined for a delivery that a verifier accepted, as your code answers it. */
  result?: DeliveryResult | undefined;
  /** A RawBodyUnavailableError, which has no answer. */
  error?: unknown;
}

/** What is published about an item of an authentic delivery. */
export interface EventMessage {
  readonly item: DeliveryItem;
  /** What became of it, from `asyncStart` on. */
  result?: EventOutcome;
}

/** What is published about a run of user code: `onEvent` with one event, or `enqueue` with all of a delivery. */
export interface HandlerMessage {
  readonly events: readonly WebhookEvent[];
  /** What it failed with. */
  error?: unknown;
}

type Trace<Message> = <T>(work: () => Promise<T>, message: Message) => Promise<T>;

/**
 * Publishes the course of `work` on a tracing channel; when nobody listens it is called as if there were none. A runtime
 * that cannot tell whether somebody does (Node before 20.13) publishes always.
 */
function createTrace<Message extends object>(name: string): Trace<Message> {
  const channel = tracingChannel<unknown, Message>(`event-webhook-receiver:${name}`);
  return (work, message) => (channel.hasSubscribers === false ? work() : channel.tracePromise(work, message));
}

export const traceDelivery: Trace<DeliveryMessage> = /* @__PURE__ */ createTrace('delivery');
export const traceEvent: Trace<EventMessage> = /* @__PURE__ */ createTrace('event');
export const traceHandler: Trace<HandlerMessage> = /* @__PURE__ */ createTrace('handler');
