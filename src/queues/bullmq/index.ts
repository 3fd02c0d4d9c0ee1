export type { EventJob, JobData } from '../job.js';
export type { EnqueueOptions } from '../options.js';
export type { EventWorkerOptions } from '../run-job.js';
export { type BullmqEnqueueOptions, type BullmqJobInsert, type BullmqQueueLike, bullmqEnqueue } from './enqueue.js';
export { type BullmqJobLike, bullmqWorker } from './worker.js';
export { bullmqWorkerOptions } from './worker-check.js';
