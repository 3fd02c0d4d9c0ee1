import { randomUUID } from 'node:crypto';
import type { EventEntry, WebhookEvent } from '../../src/index.js';
import { event } from '../helpers.js';
import type { EngineQueue } from '../queues/engines.js';

export const context = { signal: new AbortController().signal, timestamp: '1700000000' };
/** What `enqueue` gets for events; their ids are the keys. */
export const entriesOf = (events: readonly WebhookEvent[], keys = idsOf(events)): EventEntry[] =>
  events.map((each, index) => ({ event: each, idempotencyKey: keys[index] ?? each.id }));
export const idsOf = (events: readonly WebhookEvent[]) => events.map(({ id }) => id);
export const enqueue = async (queue: EngineQueue, events: readonly WebhookEvent[], keys = idsOf(events)) => {
  await queue.enqueue(entriesOf(events, keys), context);
};
export const one = () => event(randomUUID());
export const some = (count: number) => Array.from({ length: count }, one);
export const jobOf = (each: WebhookEvent, idempotencyKey = each.id) => ({
  event: each,
  idempotencyKey,
  timestamp: '1700000000',
});
