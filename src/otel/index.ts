import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import { checkNumber, checkOptions, optionError } from '../internal/check-options.js';
import { followWithMetrics } from './metrics.js';
import { followWithSpans } from './spans.js';
import { VERSION } from './version.js';

export type { DeliveryMessage, EventMessage, HandlerMessage } from '../handle/tracing.js';

/** Options of {@link instrumentWebhooks}. */
export interface InstrumentationOptions {
  /** Provider for spans. (Default: the global provider.) */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Provider for metrics. (Default: the global provider when the first delivery arrives.) */
  readonly meterProvider?: MeterProvider | undefined;
  /** Name of the webhook in `messaging.destination.name` and in the names of spans. (Default: `event-webhooks`.) */
  readonly destination?: string | undefined;
  /**
   * Maximum number of events per delivery that get a span; 0 turns event spans off. Other events are handled in the
   * delivery's span, and counted too. (Default: 128, so that a large delivery does not fill the exporter's queue.)
   */
  readonly maxEventSpans?: number | undefined;
}

const NAME = 'event-webhook-receiver';

/** Shared by all copies of this module, so that ESM and CommonJS together do not count twice. */
const registry = globalThis as { [active: symbol]: (() => void) | undefined };
const ACTIVE = Symbol.for(`${NAME}/otel`);

/**
 * Reports every receiver of this process to OpenTelemetry, following its messaging conventions. A failure of the SDK does
 * not change an answer. It exports no body, secret or signature, and of errors only the code and message of this library.
 * It requires `node:diagnostics_channel` (Node, Bun or Deno), and does not check that a provider is registered.
 *
 * Spans: `process event-webhooks` (consumer) for each delivery. Its parent is the active span, otherwise the span in the
 * sender's `traceparent`, read by the global propagator; if both exist in different traces, it links to the latter. These
 * headers are not signed. Inside it, `handle event.emitted` (internal) for each event is active while `onEvent` runs;
 * `enqueue` runs in the delivery's span. The span of a delivery that does not get 200 has status ERROR and the error
 * code in `error.type`.
 *
 * Metrics, all with `messaging.system`, `messaging.operation.*` and `messaging.destination.name`:
 *
 * - `webhook.deliveries`, a counter, by `http.response.status_code` and `error.type` (the refusal's code);
 * - `messaging.process.duration`, a histogram of seconds from arrival to answer, by `error.type`;
 * - `webhook.active_deliveries`, an up-down counter of deliveries in progress, verified or not;
 * - `webhook.in_flight`, an up-down counter of the places of `maxInFlight` in use: by authentic deliveries being handled, and by
 *   handlers that still run after their time limit;
 * - `webhook.dead_letters`, a counter of events whose handler failed for good, by `webhook.event.kind`;
 * - `webhook.reorg.events`, a counter of effects that followed a re-org, by chain and `webhook.reorg.change`;
 * - `webhook.reorg.open` and `webhook.reorg.oldest_block`, gauges of the events whose block is not final, and of the lowest
 *   such block;
 * - `webhook.delivery.body.size`, a histogram of bytes;
 * - `messaging.client.consumed.messages`, a counter of the items of authentic deliveries, by `webhook.event.kind` (`other`
 *   for unknown kinds), `webhook.event.outcome` and `error.type`;
 * - `webhook.handler.duration`, a histogram of the seconds that `onEvent`, `onEvents` or `enqueue` takes, by `webhook.event.kind` (absent
 *   if `enqueue` gets several kinds) and `error.type` (`_OTHER` for an error that is not of this library).
 *
 * Metrics of `reconcile` (`./chain`), by `webhook.reconcile.source`: the counters `webhook.reconcile.runs` (by
 * `webhook.reconcile.result`: `complete`, or why it stopped), `.found`, `.repaired` and `.failed`, and the gauges
 * `webhook.reconcile.left` (events on the retry list) and `.lag` (blocks from the cursor to the last final one).
 *
 * @example
 * ```ts
 * import { instrumentWebhooks } from 'event-webhook-receiver/otel';
 *
 * const stop = instrumentWebhooks();
 * process.once('SIGTERM', stop);
 * ```
 * @param options Providers, the webhook's name, and limits.
 * @returns A function that stops the instrumentation; deliveries in progress are still reported. A process has one
 * instrumentation: calling `instrumentWebhooks` again stops the previous one.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is unknown or invalid.
 */
export function instrumentWebhooks(options: InstrumentationOptions = {}): () => void {
  checkOptions('instrumentWebhooks', options, ['tracerProvider', 'meterProvider', 'destination', 'maxEventSpans']);
  const {
    tracerProvider = trace,
    meterProvider = metrics,
    destination = 'event-webhooks',
    maxEventSpans = 128,
  } = options;
  checkNumber('maxEventSpans', maxEventSpans, 0);
  if (typeof destination !== 'string' || destination === '')
    throw optionError('destination', 'a non-empty string', destination);
  if (typeof tracerProvider?.getTracer !== 'function')
    throw optionError('tracerProvider', 'a TracerProvider', tracerProvider);
  if (typeof meterProvider?.getMeter !== 'function')
    throw optionError('meterProvider', 'a MeterProvider', meterProvider);
  registry[ACTIVE]?.();

  const stops = [
    followWithSpans({ tracer: () => tracerProvider.getTracer(NAME, VERSION), destination, maxEventSpans }),
    followWithMetrics({ meter: () => meterProvider.getMeter(NAME, VERSION), destination }),
  ];
  const stop = () => {
    for (const each of stops.splice(0)) each();
    if (registry[ACTIVE] === stop) delete registry[ACTIVE];
  };
  registry[ACTIVE] = stop;
  return stop;
}
