// Handles the events that receiver.ts has stored. The engine runs a job again when a worker dies: give bullmqProcessor a
// `store`, or write under context.idempotencyKey, wherever an effect that is there twice would matter.
import { Worker } from 'bullmq';
import { createRouter } from 'event-webhook-receiver';
import { bullmqProcessor, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
import { connection } from './connection.js';

const router = createRouter()
  .on('event.emitted', { name: 'Transfer' }, (event, { throwIfExpired }) => {
    // A process that was frozen may have been overtaken by another one: look before the effect.
    throwIfExpired();
    console.log('took effect:', event.id);
  })
  .otherwise((event) => console.log('took effect:', event.id, 'though nobody asked for it'));

// A job survives a hundred deaths of its worker instead of one.
const options = { ...bullmqWorkerOptions, connection, concurrency: 10 };
const worker = new Worker('webhook-events', bullmqProcessor(router.dispatch), options);
worker.on('error', (error) => console.error(error.message));
worker.on('failed', (job, error) => console.error(job?.id, error.message));
console.log('listening for jobs');

process.once('SIGTERM', () => worker.close());
