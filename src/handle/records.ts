import type { WebhookEvent } from '../events/types.js';
import type { KeyRecord } from '../stores/record-store.js';
import type { Items } from './answer.js';
import type { AboutDelivery } from './context.js';

/** What stores keep about an event beside its key. */
export function recordOf(event: WebhookEvent, { source, via, timestamp }: AboutDelivery): KeyRecord {
  return { source, via, kind: event.event, eventId: event.id, receivedAt: 1000 * Number(timestamp) };
}

export function recordsOf(items: Items, about: AboutDelivery): Map<string, KeyRecord> {
  const records = new Map<string, KeyRecord>();
  for (const [key, { event }] of items) records.set(key, recordOf(event, about));
  return records;
}
