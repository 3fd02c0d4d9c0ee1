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
    const events: unknown[] = JSON.parse(new TextDecoder().decode(delivery.body));
    for (const [position, event] of events.entries()) {
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
