import { ConfigError } from '../../errors.js';
import { checkNumber, MAX_TIMER_MS } from '../../internal/check-options.js';
import type { ReceiverOptions } from '../../receiver/options.js';
import { type EnqueueOptions, jobsOf, pgBossJobId, resolveEnqueueOptions, storableJob } from '../job.js';
import { type PgBossJobInsert, type PgBossLike, storing } from './jobs.js';
import { checkQueue, type JobTimes } from './queue.js';

export type { EnqueueOptions, EventJob, JobData, JobOptions, OnEvent } from '../job.js';
export type { PgBoss10Like, PgBoss12Like, PgBossJobInsert, PgBossLike, PgBossQueueLike } from './jobs.js';
export {
  type PgBossJobLike,
  type PgBossSettleLike,
  type PgBossWorkerOptions,
  pgBossWorker,
} from './worker.js';

/** Options of {@link pgBossEnqueue}. */
export interface PgBossEnqueueOptions extends EnqueueOptions {
  /**
   * The worker's `handlerTimeoutMs`, in ms. A job whose worker died expires after three times that, unless the queue has an
   * `expireInSeconds`, which must be more than twice that. (Default: 30 000.)
   */
  readonly handlerTimeoutMs?: number | undefined;
}

/**
 * Creates a `enqueue` that stores the events of a delivery in a queue of pg-boss 10 or 12: one `insert` a delivery, one job
 * an event, whose id comes from the idempotency key, so that an event that is delivered again is not added again for as
 * long as pg-boss has its job. It resolves when every event is found to be stored.
 *
 * The queue and its dead-letter queue must exist. They are checked when the first delivery comes, and while a setting
 * loses events, every enqueue is rejected with a ConfigError that says what to change. pg-boss 12 keeps a job that is
 * done for `retentionMs`. pg-boss 10 keeps it for as long as `archiveCompletedAfterSeconds` and `deleteAfterDays` of its
 * constructor say together, which is not checked: make that `retentionMs` or more in every PgBoss on the schema.
 *
 * @example
 * ```ts
 * import PgBoss from 'pg-boss';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { pgBossEnqueue } from 'event-webhook-receiver/queues/pg-boss';
 *
 * const boss = new PgBoss('postgres://localhost/app');
 * boss.on('error', console.error);
 * await boss.start();
 * await boss.createQueue('events-dead');
 * await boss.createQueue('events', { name: 'events', deadLetter: 'events-dead' });
 * const enqueue = pgBossEnqueue(boss, 'events');
 * const receiver = createReceiver({ secret: 'whsec-test', toleranceSeconds: 300, enqueue });
 * ```
 * @param boss Your `PgBoss`, started.
 * @param name The name of the queue.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense.
 */
export function pgBossEnqueue(
  boss: PgBossLike,
  name: string,
  options: PgBossEnqueueOptions = {},
): NonNullable<ReceiverOptions['enqueue']> {
  if (typeof boss?.insert !== 'function') throw new ConfigError('pgBossEnqueue needs a PgBoss.');
  if (typeof name !== 'string' || name === '') throw new ConfigError('pgBossEnqueue needs the name of a queue.');
  const { handlerTimeoutMs = 30_000 } = options;
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const { attempts, backoffMs, retentionMs } = resolveEnqueueOptions(options);
  const retry = { retryLimit: attempts - 1, retryDelay: Math.ceil(backoffMs / 1000), retryBackoff: backoffMs > 0 };
  const store = storing(boss);

  /** The times of the queue's jobs, once the queue was found to fit. */
  let queue: Promise<JobTimes> | undefined;

  return async (events, context) => {
    if (events.length === 0) return;
    try {
      queue ??= checkQueue(boss, name, retentionMs, handlerTimeoutMs);
      const { expireInSeconds, deleteAfterSeconds } = await queue;
      const byId = new Map(jobsOf(events, context).map((job) => [pgBossJobId(job.idempotencyKey), job]));
      const jobs: PgBossJobInsert[] = [...byId]
        // In the order of their ids, so that two inserts of the same events cannot wait for each other.
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, job]) => ({ id, data: storableJob(job), expireInSeconds, ...retry }));
      const lost = await store(name, jobs, deleteAfterSeconds);
      if (lost.length === 0) return;
      throw new Error(`pg-boss did not store ${lost.length} of ${jobs.length} events. Was the queue ${name} changed?`);
    } catch (error) {
      // Checked again with the next delivery, to say what is wrong with it.
      queue = undefined;
      throw error;
    }
  };
}
