// Acknowledges a delivery once BullMQ has stored its events; worker.ts handles them, on any machine.
// Redis must write each command to disk before it answers (appendonly yes, appendfsync always).
import { Queue } from 'bullmq';
import { createReceiver } from 'event-webhook-receiver';
import { bullmqEnqueue } from 'event-webhook-receiver/queues/bullmq';
import { serve } from '../serve.js';
import { connection } from './connection.js';

// If Redis is down, a delivery fails soon and is redelivered, instead of waiting in the memory of this process.
const queue = new Queue('webhook-events', { connection: { ...connection, maxRetriesPerRequest: 1 } });
queue.on('error', (error) => console.error(error.message));

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  enqueue: bullmqEnqueue({ queue }),
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => queue.close());
