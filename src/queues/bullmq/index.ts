export type { QueueDeadLetter, QueueDeadLetters } from '../dead-letters.js';
export type { EventJob, JobData } from '../job.js';
export type { EnqueueOptions } from '../options.js';
export type { EventWorkerOptions } from '../run-job.js';
export { type BullmqFailedJobLike, type BullmqFailedQueueLike, bullmqDeadLetters } from './dead-letters.js';
export { type BullmqEnqueueOptions, type BullmqJobInsert, type BullmqQueueLike, bullmqEnqueue } from './enqueue.js';
export { type BullmqJobLike, bullmqWorker } from './worker.js';
export { bullmqWorkerOptions } from './worker-check.js';
