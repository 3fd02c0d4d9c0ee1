// Redis remembers which events were handled. After a crash in between, the handler runs again: write under the key.
import { createReceiver } from 'event-webhook-receiver';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { Redis } from 'ioredis';

const client = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: 1 });
client.on('error', (error) => console.error(error.message));

/** There is nothing to create. */
export async function migrate(): Promise<void> {}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  store: redisStore({ client }),
  logger: console,
  onEvent: async (event, { idempotencyKey }) => {
    await client.hset('received_events', idempotencyKey, event.id); // the second time, nothing changes
  },
});

/** How often an event took effect. */
export async function effectsOf(id: string): Promise<number> {
  return (await client.hvals('received_events')).filter((each) => each === id).length;
}

export const close = () => client.quit();
