import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import { checkNumber } from '../internal/check-options.js';
import { followWithMetrics } from './metrics.js';
import { followWithSpans } from './spans.js';

/** Options of {@link instrumentWebhooks}. */
export interface InstrumentationOptions {
  /** Where spans go. (Default: the global provider.) */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Where metrics go. (Default: the provider that is the global one when the first delivery arrives.) */
  readonly meterProvider?: MeterProvider | undefined;
  /** What the webhook is called: `messaging.destination.name`, and in the names of spans. (Default: `event-webhooks`.) */
  readonly destination?: string | undefined;
  /**
   * How many events of one delivery get a span each; 0 turns them off. The others are handled in the delivery's own span,
   * and counted all the same. (Default: 128, so that a large delivery does not crowd the exporter's queue.)
   */
  readonly maxEventSpans?: number | undefined;
}

const NAME = 'event-webhook-receiver';

/** Shared by every copy of this module, so that ESM beside CommonJS does not count twice. */
const registry = globalThis as { [active: symbol]: (() => void) | undefined };
const ACTIVE = Symbol.for(`${NAME}/otel`);

/**
 * Reports every receiver of this process to OpenTelemetry, in the words of its messaging conventions. No failure of the
 * SDK changes an answer. It sends no body, secret or signature, and of errors the code and message of this library alone.
 * It needs `node:diagnostics_channel`, so Node, Bun or Deno, and does not see `expressVerifier` and `verifyRequest`.
 *
 * Spans: `process event-webhooks` (consumer) for each delivery, a child of the active span, or else of the one that the
 * sender's `traceparent` names, by the global propagator; if both are there and of different traces it links to the
 * latter. Those headers are not signed. Inside it `handle event.emitted` (internal) for each event, active while
 * `onEvent` runs; `enqueue` runs in the delivery's. What is not answered 200 has the status ERROR and, as `error.type`, the code.
 *
 * Metrics, all with `messaging.system`, `messaging.operation.*` and `messaging.destination.name`:
 *
 * - `webhook.deliveries`, a counter, by `http.response.status_code` and `error.type` (the refusal's code);
 * - `messaging.process.duration`, a histogram of seconds from arrival to answer, by `error.type`;
 * - `webhook.active_deliveries`, an up-down counter of those in flight;
 * - `webhook.delivery.body.size`, a histogram of bytes;
 * - `messaging.client.consumed.messages`, a counter of the items of authentic deliveries, by `webhook.event.kind` (`other`
 *   for all but the known ones), `webhook.event.outcome` and `error.type`;
 * - `webhook.handler.duration`, a histogram of the seconds that `onEvent` or `enqueue` take, by `webhook.event.kind` (absent
 *   for a enqueue of several kinds) and `error.type` (`_OTHER` for an error that is none of this library).
 *
 * @example
 * ```ts
 * import { instrumentWebhooks } from 'event-webhook-receiver/otel';
 *
 * const stop = instrumentWebhooks();
 * process.once('SIGTERM', stop);
 * ```
 * @param options Providers other than the global ones, names and bounds.
 * @returns What ends it. Deliveries that are under way then are still reported. There is one instrumentation in a process:
 * calling `instrumentWebhooks` again ends the one before.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when `maxEventSpans` is no whole number from 0 up.
 */
export function instrumentWebhooks(options: InstrumentationOptions = {}): () => void {
  const {
    tracerProvider = trace,
    meterProvider = metrics,
    destination = 'event-webhooks',
    maxEventSpans = 128,
  } = options;
  checkNumber('maxEventSpans', maxEventSpans, 0);
  registry[ACTIVE]?.();

  const stops = [
    followWithSpans({ tracer: () => tracerProvider.getTracer(NAME), destination, maxEventSpans }),
    followWithMetrics({ meter: () => meterProvider.getMeter(NAME), destination }),
  ];
  const stop = () => {
    for (const each of stops.splice(0)) each();
    if (registry[ACTIVE] === stop) delete registry[ACTIVE];
  };
  registry[ACTIVE] = stop;
  return stop;
}
