import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { ReconcileReport } from '../chain/reconcile/report.js';
import type { DeadLetter } from '../handle/dead-letter.js';
import type { DeliveryMessage, EventMessage, HandlerMessage, InFlightMessage, ReorgReport } from '../handle/tracing.js';
import { errorAttributes, kindOf, messagingAttributes } from './attributes.js';
import { type Followed, follow, guarded } from './follow.js';

export interface MetricOptions {
  readonly meter: () => Meter;
  readonly destination: string;
}

/** Bucket boundaries up to the time limits of senders and hosts. */
const LONG_SECONDS = [10, 15, 20, 30, 60, 120];
/** Bucket boundaries that the messaging conventions recommend, which end at 10 s. */
const PROCESS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, ...LONG_SECONDS];
/** Bucket boundaries, starting at a handler with a memory store. */
const HANDLER_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, ...LONG_SECONDS];
/** Each is four times the previous one, up to the default `maxBodyBytes`. */
const BODY_BYTES = [1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 10_485_760];

function createInstruments(meter: Meter) {
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const gauge = (name: string, unit: string, description: string) => meter.createGauge(name, { unit, description });
  const upDown = (name: string, unit: string, description: string) =>
    meter.createUpDownCounter(name, { unit, description });
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  return {
    deliveries: counter('webhook.deliveries', '{delivery}', 'Deliveries, by answer.'),
    activeDeliveries: upDown(
      'webhook.active_deliveries',
      '{delivery}',
      'Deliveries that were received and not yet answered, verified or not.',
    ),
    inFlight: upDown(
      'webhook.in_flight',
      '{delivery}',
      'Places of maxInFlight in use: by deliveries being handled, and handlers that outlast their time limit.',
    ),
    bodySize: histogram('webhook.delivery.body.size', 'By', 'Size of received bodies.', BODY_BYTES),
    processDuration: histogram(
      'messaging.process.duration',
      's',
      'Time from receiving a delivery to its answer.',
      PROCESS_SECONDS,
    ),
    events: counter('messaging.client.consumed.messages', '{message}', 'Items of authentic deliveries, by outcome.'),
    handlerDuration: histogram(
      'webhook.handler.duration',
      's',
      'Time that onEvent takes for an event, or onEvents or enqueue for the events of a delivery.',
      HANDLER_SECONDS,
    ),
    deadLetters: counter(
      'webhook.dead_letters',
      '{event}',
      'Events whose handler failed for good, and which the store keeps.',
    ),
    reorgEvents: counter(
      'webhook.reorg.events',
      '{event}',
      'Events whose effect was applied or reverted because of a re-org, or whose change failed.',
    ),
    reorgOpen: gauge('webhook.reorg.open', '{event}', 'Events whose block is not final.'),
    reorgOldest: gauge(
      'webhook.reorg.oldest_block',
      '{block}',
      'Number of the lowest block whose events may still change.',
    ),
    reconcile: {
      runs: counter('webhook.reconcile.runs', '{run}', 'Runs of reconcile, by result.'),
      found: counter('webhook.reconcile.found', '{event}', 'Events that reconcile read.'),
      repaired: counter(
        'webhook.reconcile.repaired',
        '{event}',
        'Events that had not taken effect before reconcile repaired them.',
      ),
      failed: counter('webhook.reconcile.failed', '{event}', 'Events that reconcile passed on and that failed.'),
      left: gauge('webhook.reconcile.left', '{event}', 'Events on the retry list, at the end of the last run.'),
      lag: gauge(
        'webhook.reconcile.lag',
        '{block}',
        'Blocks between the cursor and the last final block, at the end of the last run.',
      ),
    },
  };
}

/** Counts and times deliveries, events, handlers, re-orgs and runs of `reconcile`. Returns a function that stops it. */
export function followWithMetrics({ meter, destination }: MetricOptions): () => void {
  const base = messagingAttributes(destination);
  let made: ReturnType<typeof createInstruments> | undefined;
  // Created late: the program may register its provider after this call.
  const instruments = () => {
    made ??= createInstruments(meter());
    return made;
  };

  function beginDelivery(message: DeliveryMessage): Followed {
    const { activeDeliveries, bodySize, deliveries, processDuration } = instruments();
    const elapsed = stopwatch();
    activeDeliveries.add(1, base);
    return {
      finish() {
        const seconds = elapsed();
        activeDeliveries.add(-1, base);
        const { result, bodyBytes } = message;
        const attributes: Attributes = { ...base, ...errorAttributes(result?.error) };
        processDuration.record(seconds, attributes);
        deliveries.add(1, result ? { ...attributes, 'http.response.status_code': result.status } : attributes);
        if (bodyBytes !== undefined) bodySize.record(bodyBytes, base);
      },
    };
  }

  function beginEvent(message: EventMessage): Followed {
    return {
      finish() {
        const { item, result } = message;
        if (!result) return;
        instruments().events.add(1, {
          ...base,
          'webhook.event.kind': kindOf(item),
          'webhook.event.outcome': result.status,
          ...errorAttributes(result.error),
        });
      },
    };
  }

  function beginHandler(message: HandlerMessage): Followed {
    const elapsed = stopwatch();
    return {
      finish() {
        instruments().handlerDuration.record(elapsed(), {
          ...base,
          ...kindsOf(message),
          ...errorAttributes(message.error),
        });
      },
    };
  }

  /** The counts of each receiver. */
  const places = new Map<InFlightMessage, number>();
  const count = (message: InFlightMessage, inFlight: number) => {
    instruments().inFlight.add(inFlight - (places.get(message) ?? 0), base);
    if (inFlight > 0) places.set(message, inFlight);
    else places.delete(message);
  };

  function countReorgs(report: ReorgReport): void {
    const { reorgEvents, reorgOpen, reorgOldest } = instruments();
    const attributes: Attributes = { ...base, 'webhook.reorg.chain_id': report.chainId };
    for (const change of ['applied', 'reverted', 'failed'] as const) {
      if (report[change] > 0) reorgEvents.add(report[change], { ...attributes, 'webhook.reorg.change': change });
    }
    // A gauge keeps its last value, so `oldest_block` does not show that the last open block became final. `open` does:
    // it is 0 then.
    reorgOpen.record(report.open, attributes);
    if (report.oldestBlock !== undefined) reorgOldest.record(report.oldestBlock, attributes);
  }

  function countReconcile({ source, chainId, stopped, final, to, ...counts }: ReconcileReport): void {
    const { reconcile } = instruments();
    const attributes: Attributes = { 'webhook.reconcile.source': source };
    if (chainId !== undefined) attributes['webhook.reconcile.chain_id'] = chainId;
    reconcile.runs.add(1, { ...attributes, 'webhook.reconcile.result': stopped?.reason ?? 'complete' });
    for (const name of ['found', 'repaired', 'failed'] as const) reconcile[name].add(counts[name], attributes);
    // Unknown if the run could not read the list.
    if (stopped?.reason !== 'cursor') reconcile.left.record(counts.left, attributes);
    if (final !== undefined) reconcile.lag.record(Math.max(0, final - to), attributes);
  }

  const stops = [
    follow('delivery', beginDelivery),
    follow('event', beginEvent),
    follow('handler', beginHandler),
    on<InFlightMessage>('in-flight', (message) => count(message, message.inFlight)),
    on<DeadLetter>('dead-letter', ({ event }) =>
      instruments().deadLetters.add(1, { ...base, 'webhook.event.kind': event.event }),
    ),
    on('reorgs', countReorgs),
    on('reconcile', countReconcile),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const message of places.keys()) guarded(() => count(message, 0));
  };
}

/** Calls `record` for each message of a channel. Returns a function that stops it. */
function on<Message>(name: string, record: (message: Message) => void): () => void {
  const onMessage = (message: unknown) => guarded(() => record(message as Message));
  subscribe(`event-webhook-receiver:${name}`, onMessage);
  return () => void unsubscribe(`event-webhook-receiver:${name}`, onMessage);
}

/** The type of a handler's events, if all have the same. */
function kindsOf({ events }: HandlerMessage): Attributes {
  const kind = events[0]?.event;
  return kind !== undefined && events.every(({ event }) => event === kind) ? { 'webhook.event.kind': kind } : {};
}

function stopwatch(): () => number {
  const start = performance.now();
  return () => (performance.now() - start) / 1000;
}
