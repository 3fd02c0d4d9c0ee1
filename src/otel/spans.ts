import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isWebhookError } from '../errors.js';
import type { DeliveryMessage, EventMessage } from '../handle/tracing.js';
import { errorType, eventAttributes, kindOf, messagingAttributes } from './attributes.js';
import { ContextStore, type Followed, follow, guarded } from './follow.js';

export interface SpanOptions {
  readonly tracer: () => Tracer;
  readonly destination: string;
  readonly maxEventSpans: number;
}

/** The key of a delivery's context for the number of event spans left. */
const BUDGET = createContextKey('event-webhook-receiver: spans left for the events of a delivery');

const HEADERS: TextMapGetter<DeliveryMessage> = {
  get: ({ header }, name) => header?.(name.toLowerCase()),
  keys: () => [],
};

/** Creates a span for each delivery, and inside it one for each event. Returns a function that stops it. */
export function followWithSpans({ tracer, destination, maxEventSpans }: SpanOptions): () => void {
  const store = new ContextStore();

  function beginDelivery(message: DeliveryMessage): Followed {
    const { parent, links } = originOf(message);
    const options = { kind: SpanKind.CONSUMER, attributes: messagingAttributes(destination), links };
    const span = tracer().startSpan(`process ${destination}`, options, parent);
    return {
      context: trace.setSpan(parent, span).setValue(BUDGET, { left: maxEventSpans }),
      finish: () => ending(span, () => describeDelivery(span, message)),
    };
  }

  function beginEvent(message: EventMessage): Followed | undefined {
    const parent = store.getStore() ?? context.active();
    const budget = parent.getValue(BUDGET) as { left: number } | undefined;
    if (budget && --budget.left < 0) return undefined;
    const { item } = message;
    const options = { kind: SpanKind.INTERNAL, attributes: eventAttributes(item) };
    const span = tracer().startSpan(`handle ${kindOf(item)}`, options, parent);
    return {
      context: trace.setSpan(parent, span),
      finish: () => ending(span, () => describeEvent(span, message)),
    };
  }

  const stopDeliveries = follow('delivery', beginDelivery, store);
  const stopEvents = follow('event', beginEvent, store);
  return () => {
    stopDeliveries();
    stopEvents();
  };
}

/** The parent of a delivery's span: the active span if there is one, otherwise the span in the sender's headers. */
function originOf(message: DeliveryMessage): { parent: Context; links: Link[] } {
  const active = context.active();
  const ambient = trace.getSpanContext(active);
  const isAmbient = ambient !== undefined && isSpanContextValid(ambient);
  const sent = guarded(() => propagation.extract(isAmbient ? ROOT_CONTEXT : active, message, HEADERS)) ?? active;
  if (!isAmbient) return { parent: sent, links: [] };
  const creation = trace.getSpanContext(sent);
  const isOther = creation !== undefined && creation.traceId !== ambient.traceId;
  return { parent: active, links: isOther ? [{ context: creation }] : [] };
}

/** Describes a span as far as possible, and ends it. */
function ending(span: Span, describe: () => void): void {
  guarded(describe);
  span.end();
}

function describeDelivery(span: Span, { result, bodyBytes }: DeliveryMessage): void {
  if (bodyBytes !== undefined) span.setAttribute('messaging.message.body.size', bodyBytes);
  if (!result) return;
  const { status, error, outcomes } = result;
  span.setAttribute('http.response.status_code', status);
  if (outcomes.length > 0 || error === undefined) span.setAttribute('messaging.batch.message_count', outcomes.length);
  if (error === undefined) return;
  setFailed(span, error);
  // An item's failure is recorded on the item's span.
  if (outcomes.length === 0) recordFailure(span, error);
}

function describeEvent(span: Span, { result }: EventMessage): void {
  if (!result) return;
  span.setAttribute('webhook.event.outcome', result.status);
  if (result.error === undefined) return;
  setFailed(span, result.error);
  recordFailure(span, result.error);
}

function setFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR, ...messageOf(error) });
}

/** Only our code and message: the cause may contain user data. */
function recordFailure(span: Span, error: unknown): void {
  span.recordException({ code: errorType(error), ...messageOf(error) });
}

function messageOf(error: unknown): { message?: string } {
  return isWebhookError(error) ? { message: error.message } : {};
}
