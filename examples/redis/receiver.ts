// Several replicas share the keys of what took effect in a Redis or Valkey.
import { createReceiver } from 'event-webhook-receiver';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { Redis } from 'ioredis';
import { serve } from '../serve.js';

const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { socketTimeout: 3000 });
client.on('error', (error) => console.error(error.message));

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  toleranceSeconds: 300,
  store: redisStore({ client, leaseMs: 60_000 }),
  // A process that dies after its effect and before the key is recorded leaves an event that is handled again: write under
  // context.idempotencyKey wherever that would matter. One that was frozen may have been overtaken: look before the effect.
  onEvent(event, { throwIfExpired }) {
    throwIfExpired();
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => client.quit());
