// Several replicas share the idempotency keys in Redis or Valkey.
import { createReceiver } from 'event-webhook-receiver';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { Redis } from 'ioredis';
import { serve } from '../serve.js';

const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { socketTimeout: 3000 });
client.on('error', (error) => console.error(error.message));

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store: redisStore({ client, leaseMs: 60_000 }),
  // If the process dies after the effect but before the key is recorded, the event is handled again: use
  // context.idempotencyKey if that would do harm. After a freeze, another replica may have taken over: check before the effect.
  onEvent(event, { throwIfExpired }) {
    throwIfExpired();
    console.log('took effect:', event.id);
  },
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => client.quit());
