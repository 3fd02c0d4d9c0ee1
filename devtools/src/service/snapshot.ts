import type { Delivery } from './delivery.js';
import type { Entry } from './entry.js';
import type { State } from './state.js';

/** The least entries that give a state again. What is pending then comes in the order in which it was emitted. */
export function* snapshot({ key, next, webhooks }: State): Generator<Entry> {
  yield { type: 'counters', ...next };
  if (key !== undefined) yield { type: 'key', key };
  for (const { record } of webhooks.values()) yield { type: 'webhook', webhook: record };
  // Webhooks that were sent the same bytes share them, here as in memory.
  const groups = new Map<Uint8Array, Delivery[]>();
  for (const { deliveries } of webhooks.values()) {
    for (const delivery of deliveries.values()) {
      const group = groups.get(delivery.body);
      if (group) group.push(delivery);
      else groups.set(delivery.body, [delivery]);
    }
  }
  for (const [body, group] of groups) {
    const [{ createdAt, events }] = group as [Delivery];
    const to = group.map(({ id, webhookId, firstEvent }) => ({ id, webhookId, firstEvent }));
    const batch = { body: new TextDecoder().decode(body), events, to };
    yield { type: 'emitted', at: createdAt, batches: [batch] };
  }
  for (const { deliveries } of webhooks.values()) {
    for (const { id, webhookId, attempts, failures, state, deliveredAt, nextAttemptAt } of deliveries.values()) {
      if (state === 'pending' && attempts.length === 0) continue;
      yield { type: 'progress', id, webhookId, attempts, failures, state, deliveredAt, nextAttemptAt };
    }
  }
}
