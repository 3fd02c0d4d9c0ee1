// Handles the events that receiver.ts has stored. The engine runs a job again when a worker dies: give bullmqWorker a
// `store`, or make the effect idempotent with context.idempotencyKey, if a second effect would do harm.
import { Worker } from 'bullmq';
import { createRouter } from 'event-webhook-receiver';
import { bullmqWorker, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
import { connection } from './connection.js';

const router = createRouter()
  .on('event.emitted', { name: 'Transfer' }, (event, { throwIfExpired }) => {
    // After a freeze, another process may have taken over: check right before the effect.
    throwIfExpired();
    console.log('took effect:', event.id);
  })
  .otherwise((event) => console.log('took effect:', event.id, 'without a route'));

// With bullmqWorkerOptions, a job survives a hundred deaths of its worker instead of one.
const options = { ...bullmqWorkerOptions, connection, concurrency: 10 };
const worker = new Worker('webhook-events', bullmqWorker({ onEvent: router.dispatch }), options);
worker.on('error', (error) => console.error(error.message));
worker.on('failed', (job, error) => console.error(job?.id, error.message));
console.log('listening for jobs');

process.once('SIGTERM', () => worker.close());
