import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Attributes, Meter } from '@opentelemetry/api';
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

const IN_FLIGHT = 'event-webhook-receiver:in-flight';
const DEAD_LETTER = 'event-webhook-receiver:dead-letter';
const REORGS = 'event-webhook-receiver:reorgs';

function createInstruments(meter: Meter) {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  return {
    deliveries: meter.createCounter('webhook.deliveries', {
      description: 'Deliveries, by answer.',
      unit: '{delivery}',
    }),
    activeDeliveries: meter.createUpDownCounter('webhook.active_deliveries', {
      description: 'Deliveries that were received and not yet answered, verified or not.',
      unit: '{delivery}',
    }),
    deadLetters: meter.createCounter('webhook.dead_letters', {
      description: 'Events whose handler failed for good, and which the store keeps.',
      unit: '{event}',
    }),
    reorgEvents: meter.createCounter('webhook.reorg.events', {
      description: 'Events whose effect was applied or reverted because of a re-org, or whose change failed.',
      unit: '{event}',
    }),
    reorgOpen: meter.createGauge('webhook.reorg.open', {
      description: 'Events whose block is not final.',
      unit: '{event}',
    }),
    reorgOldest: meter.createGauge('webhook.reorg.oldest_block', {
      description: 'Number of the lowest block whose events may still change.',
      unit: '{block}',
    }),
    inFlight: meter.createUpDownCounter('webhook.in_flight', {
      description:
        'Places of maxInFlight in use: by deliveries being handled, and handlers that outlast their time limit.',
      unit: '{delivery}',
    }),
    bodySize: histogram('webhook.delivery.body.size', 'Size of received bodies.', 'By', BODY_BYTES),
    processDuration: histogram(
      'messaging.process.duration',
      'Time from receiving a delivery to its answer.',
      's',
      PROCESS_SECONDS,
    ),
    events: meter.createCounter('messaging.client.consumed.messages', {
      description: 'Items of authentic deliveries, by outcome.',
      unit: '{message}',
    }),
    handlerDuration: histogram(
      'webhook.handler.duration',
      'Time that onEvent takes for an event, or onEvents or enqueue for the events of a delivery.',
      's',
      HANDLER_SECONDS,
    ),
  };
}

/** Counts and times deliveries, events and handlers. Returns a function that stops it. */
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
  const onPlaces = (message: unknown) =>
    guarded(() => count(message as InFlightMessage, (message as InFlightMessage).inFlight));
  subscribe(IN_FLIGHT, onPlaces);
  const onDeadLetter = (letter: unknown) =>
    guarded(() =>
      instruments().deadLetters.add(1, { ...base, 'webhook.event.kind': (letter as DeadLetter).event.event }),
    );
  subscribe(DEAD_LETTER, onDeadLetter);
  const onReorgs = (message: unknown) =>
    guarded(() => {
      const { reorgEvents, reorgOpen, reorgOldest } = instruments();
      const report = message as ReorgReport;
      for (const change of ['applied', 'reverted', 'failed'] as const) {
        if (report[change] > 0) reorgEvents.add(report[change], { ...base, 'webhook.reorg.change': change });
      }
      // A gauge keeps its value: without this one, a last block that became final would look like one that never does.
      reorgOpen.record(report.open, base);
      if (report.oldestBlock !== undefined) reorgOldest.record(report.oldestBlock, base);
    });
  subscribe(REORGS, onReorgs);

  const stops = [follow('delivery', beginDelivery), follow('event', beginEvent), follow('handler', beginHandler)];
  return () => {
    for (const stop of stops) stop();
    unsubscribe(IN_FLIGHT, onPlaces);
    unsubscribe(DEAD_LETTER, onDeadLetter);
    unsubscribe(REORGS, onReorgs);
    for (const message of places.keys()) guarded(() => count(message, 0));
  };
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
