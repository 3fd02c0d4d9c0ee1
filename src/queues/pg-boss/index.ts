export type { QueueDeadLetter, QueueDeadLetters } from '../dead-letters.js';
export type { EventJob, JobData } from '../job.js';
export type { EnqueueOptions } from '../options.js';
export type { EventWorkerOptions } from '../run-job.js';
export { pgBossDeadLetters } from './dead-letters.js';
export { type PgBossEnqueueOptions, pgBossEnqueue } from './enqueue.js';
export type {
  PgBoss10Like,
  PgBoss12Like,
  PgBossJobInsert,
  PgBossJobLike,
  PgBossLike,
  PgBossQueueLike,
} from './jobs.js';
export { type PgBossWorkerOptions, pgBossWorker } from './worker.js';
