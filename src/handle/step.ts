import type { WebhookEvent } from '../events/types.js';
import type { KeptLog } from '../stores/log-store.js';
import type { KeyRecord } from '../stores/record-store.js';
import { DELIVERY, RETRY, type Step } from '../stores/store.js';
import type { Items } from './answer.js';
import type { AboutDelivery } from './context.js';

/** An event as its log is kept until its block is final; undefined if the event has no log. Never throws. */
export type LogOf = (event: WebhookEvent, idempotencyKey: string, source: string | undefined) => KeptLog | undefined;

/** The step of a delivery, or of a retry. With `logOf`, the store keeps the logs of events. */
export function stepOf(items: Items, about: AboutDelivery, logOf?: LogOf): Step {
  // A retry leaves the record of the delivery.
  if (about.retryOf !== undefined) return RETRY;
  const records = new Map<string, KeyRecord>();
  for (const [key, { event }] of items) records.set(key, recordOf(event, about));
  if (!logOf) return { ...DELIVERY, records };
  const logs = new Map<string, KeptLog>();
  for (const [key, { event }] of items) {
    const log = logOf(event, key, about.source);
    if (log) logs.set(key, log);
  }
  return { from: 'free', to: 'applied', records, logs };
}

/** What stores keep about an event beside its key. */
export function recordOf(event: WebhookEvent, { source, via, timestamp }: AboutDelivery): KeyRecord {
  return { source, via, kind: event.event, eventId: event.id, receivedAt: 1000 * Number(timestamp) };
}
