import type { WebhookEvent } from 'event-webhook-receiver';
import type { ReconcilingReceiver } from 'event-webhook-receiver/chain';
import type { WebhookClient } from 'event-webhook-receiver/client';
import { logIdentity } from 'event-webhook-receiver/evm';

/** The state of an event. `undelivered`: the service has logged the event, but not delivered it. */
export type Found = 'handled' | 'in-progress' | 'unknown' | 'missing' | 'undelivered';

/** Finds out which events of the chain have arrived. */
export interface Looker {
  readonly receiver: Pick<ReconcilingReceiver, 'idempotencyKey' | 'rememberedSince'>;
  look(events: readonly WebhookEvent[]): Promise<readonly Found[]>;
}

/** Asks the store of a receiver, without handling events. `source` is the source of the events. */
export function receiverLooker(receiver: ReconcilingReceiver, source?: string | false): Looker {
  return { receiver, look: async (events) => await receiver.peek(events, { source }) };
}

/** Looks for events in the delivery log of a webhook, which is read once. `chainId` returns the chain's id. */
export function logLooker(client: WebhookClient, webhookId: number, chainId: () => number): Looker {
  const keyOf = (event: WebhookEvent) => logIdentity(event, { chainId: chainId() });
  let reading: Promise<ReadonlyMap<string, boolean>> | undefined;

  /** Whether each event was delivered, by its key. */
  async function read(): Promise<ReadonlyMap<string, boolean>> {
    const delivered = new Map<string, boolean>();
    for await (const { id, eventType, data, deliveredAt } of client.deliveries(webhookId)) {
      let key: string;
      try {
        key = keyOf({ id: String(id), event: eventType, data } as never);
      } catch {
        // An entry that lacks the fields of a key is not an event of the chain.
        continue;
      }
      delivered.set(key, delivered.get(key) || Boolean(deliveredAt));
    }
    return delivered;
  }

  return {
    receiver: { idempotencyKey: keyOf, rememberedSince: () => 0 },
    async look(events) {
      reading ??= read();
      const delivered = await reading;
      return events.map((event) => {
        const state = delivered.get(keyOf(event));
        return state === undefined ? 'missing' : state ? 'handled' : 'undelivered';
      });
    },
  };
}
