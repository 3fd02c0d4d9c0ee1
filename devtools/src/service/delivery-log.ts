import { isRecord } from '../guards.js';
import type { LogEntry } from './delivery.js';
import type { WebhookState } from './state.js';

/** A page of a webhook's delivery log, oldest first: of all that is kept, what follows after `offset` events. */
export function logPage({ deliveries }: WebhookState, offset: number, limit: number): LogEntry[] {
  const page: LogEntry[] = [];
  let skip = offset;
  for (const delivery of deliveries.values()) {
    if (page.length === limit) break;
    if (skip >= delivery.events) {
      skip -= delivery.events;
      continue;
    }
    const { firstEvent, createdAt, deliveredAt } = delivery;
    for (const [position, event] of eventsIn(delivery.body).entries()) {
      if (position < skip || page.length === limit) continue;
      const { event: kind, data = null } = isRecord(event) ? event : {};
      page.push({
        id: firstEvent + position,
        eventType: String(kind),
        data,
        createdAt: new Date(createdAt).toISOString(),
        deliveredAt: deliveredAt === undefined ? undefined : new Date(deliveredAt).toISOString(),
      });
    }
    skip = 0;
  }
  return page;
}

/** The events of a body. A body that is not a list of events counts as one, of an unknown kind. */
export function eventsIn(body: Uint8Array): readonly unknown[] {
  try {
    const events: unknown = JSON.parse(new TextDecoder().decode(body));
    if (Array.isArray(events) && events.length > 0) return events;
  } catch {
    // It was sent unchecked.
  }
  return [undefined];
}
