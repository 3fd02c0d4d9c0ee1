// Acknowledges as soon as the events of a delivery are stored in BullMQ; worker.ts handles them, on any machine.
// Redis must write each command to disk before it answers (appendonly yes, appendfsync always).
import { Queue } from 'bullmq';
import { createReceiver } from 'event-webhook-receiver';
import { bullmqEnqueue } from 'event-webhook-receiver/queues/bullmq';
import { serve } from '../serve.js';
import { connection } from './connection.js';

// When Redis goes away a delivery fails soon and comes again, instead of waiting in this process's memory.
const queue = new Queue('webhook-events', { connection: { ...connection, maxRetriesPerRequest: 1 } });
queue.on('error', (error) => console.error(error.message));

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  toleranceSeconds: 300,
  enqueue: bullmqEnqueue(queue),
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => queue.close());
