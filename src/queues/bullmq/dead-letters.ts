import { checkClientOptions } from '../../internal/check-client.js';
import { type QueueDeadLetters, queueDeadLetters } from '../dead-letters.js';
import { QUEUE } from './enqueue.js';

/** The part of BullMQ's `Queue` that dead letters use. */
export interface BullmqFailedQueueLike {
  getJobs(types: 'failed', start: number, end: number, asc: boolean): Promise<readonly BullmqFailedJobLike[]>;
}

/** The part of a failed BullMQ `Job` that dead letters use. */
export interface BullmqFailedJobLike {
  readonly id?: string | undefined;
  readonly data: unknown;
  readonly attemptsMade: number;
  readonly finishedOn?: number | undefined;
  readonly failedReason: string;
  isFailed(): Promise<boolean>;
  retry(state: 'failed'): Promise<unknown>;
  updateData(data: object): Promise<unknown>;
}

/**
 * The dead letters of a queue that `bullmqEnqueue` fills: its failed jobs, oldest first. A discarded job completes in a
 * worker, without its handler, so that a redelivery of its event is a duplicate.
 *
 * @example
 * ```ts
 * import { Queue } from 'bullmq';
 * import { bullmqDeadLetters } from 'event-webhook-receiver/queues/bullmq';
 *
 * const deadLetters = bullmqDeadLetters({ queue: new Queue('events', { connection: { host: 'localhost' } }) });
 * for (const { idempotencyKey, message } of (await deadLetters.list()).letters) console.log(idempotencyKey, message);
 * await deadLetters.retry({}); // after a fix
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function bullmqDeadLetters(options: { readonly queue: BullmqFailedQueueLike }): QueueDeadLetters {
  checkClientOptions('bullmqDeadLetters', options, QUEUE, ['queue']);
  async function retry(job: BullmqFailedJobLike, data?: object): Promise<boolean> {
    try {
      if (data) await job.updateData(data);
      await job.retry('failed');
      return true;
    } catch (error) {
      if (await job.isFailed()) throw error;
      return false;
    }
  }
  return queueDeadLetters(async (start, limit) => {
    const jobs = await options.queue.getJobs('failed', start, start + limit - 1, true);
    return jobs.map((job) => ({
      ...{ id: job.id ?? '', data: job.data, message: job.failedReason },
      ...{ attempts: job.attemptsMade, lastFailedAt: job.finishedOn ?? 0 },
      retry: () => retry(job),
      discard: () => retry(job, { ...Object(job.data), discarded: true }),
    }));
  });
}
