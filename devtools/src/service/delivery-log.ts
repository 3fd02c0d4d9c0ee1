import { attempt } from '../guards.js';
import { isReadable } from '../readable-json.js';
import type { Delivery, LogEntry } from './delivery.js';
import type { WebhookState } from './state.js';

/** A page of a webhook's delivery log, oldest first, from `offset`. */
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
    for (const [position, event] of eventsIn(delivery).entries()) {
      if (position < skip || page.length === limit) continue;
      const { event: kind, data = null } = Object(event);
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

/** Limit of events in a body that is sent unchecked: more would push all other deliveries out of the log. */
const MOST_UNCHECKED = 1000;

/**
 * The events of a body. One that is not a list of events, or was sent unchecked and has far more values than any
 * delivery, counts as one, of an unknown kind.
 */
export function eventsIn({ body, once }: Pick<Delivery, 'body' | 'once'>): readonly unknown[] {
  const isCheap = !once || isReadable(body);
  const events = attempt(() => (isCheap ? JSON.parse(new TextDecoder().decode(body)) : undefined) as unknown);
  const most = once ? MOST_UNCHECKED : Number.POSITIVE_INFINITY;
  return Array.isArray(events) && events.length > 0 && events.length <= most ? events : [undefined];
}
