import type { Enqueue } from '../../handle/types.js';
import { checkClientOptions } from '../../internal/check-client.js';
import { checkNumber, MAX_TIMER_MS, optionError } from '../../internal/check-options.js';
import { jobOf, storableJob } from '../job.js';
import { ENQUEUE_OPTIONS, type EnqueueOptions, resolveEnqueueOptions } from '../options.js';
import { DEFAULT_HANDLER_TIMEOUT_MS } from '../run-job.js';
import { pgBossJobId } from './job-id.js';
import { BOSS, type PgBossJobInsert, type PgBossLike, storing } from './jobs.js';
import { checkQueue, type JobTimes } from './queue.js';

/** Options of {@link pgBossEnqueue}. */
export interface PgBossEnqueueOptions extends EnqueueOptions {
  /** Your started `PgBoss`, version 10 or 12. */
  readonly boss: PgBossLike;
  /** The name of the queue. */
  readonly queue: string;
  /**
   * The worker's `handlerTimeoutMs`, in ms. The job of a dead worker expires after three times as long, unless the queue
   * has an `expireInSeconds`, which must be more than twice as long. (Default: 30 000.)
   */
  readonly handlerTimeoutMs?: number | undefined;
}

/**
 * Creates an `enqueue` that stores the events of a delivery in a queue of pg-boss 10 or 12: one `insert` per delivery,
 * one job per event. The job id derives from the idempotency key, so a redelivered event is not added again while
 * pg-boss keeps its job. It resolves when every event is stored.
 *
 * The queue and its dead-letter queue must exist. The first delivery checks them; if a setting could lose events, every
 * enqueue rejects with a ConfigError that says what to change. pg-boss 12 keeps a completed job for `retentionMs`.
 * pg-boss 10 keeps it for `archiveCompletedAfterSeconds` plus `deleteAfterDays` of its constructor, which is not
 * checked: make that `retentionMs` or more in every PgBoss on the schema.
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
 * const enqueue = pgBossEnqueue({ boss, queue: 'events' });
 * const receiver = createReceiver({ secret: 'whsec-test', enqueue });
 * ```
 * @param options The PgBoss and the name of the queue; times are in milliseconds.
 * @returns The function for the receiver's `enqueue` option. It rejects if an event was not stored.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function pgBossEnqueue(options: PgBossEnqueueOptions): Enqueue {
  checkClientOptions('pgBossEnqueue', options, BOSS, ['boss', 'queue', 'handlerTimeoutMs', ...ENQUEUE_OPTIONS]);
  const { boss, queue, handlerTimeoutMs = DEFAULT_HANDLER_TIMEOUT_MS } = options;
  if (typeof queue !== 'string' || queue === '') throw optionError('queue', 'the name of a queue', queue);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const { attempts, backoffMs, retentionMs } = resolveEnqueueOptions(options);
  const retry = { retryLimit: attempts - 1, retryDelay: Math.ceil(backoffMs / 1000), retryBackoff: backoffMs > 0 };
  const store = storing(boss);

  /** The times for the queue's jobs, once its settings have been checked. */
  let times: Promise<JobTimes> | undefined;

  const enqueue: Enqueue = async (entries, context) => {
    if (entries.length === 0) return;
    try {
      times ??= checkQueue(boss, queue, retentionMs, handlerTimeoutMs);
      const { expireInSeconds, deleteAfterSeconds } = await times;
      const byId = new Map(entries.map((entry) => [pgBossJobId(entry.idempotencyKey), jobOf(entry, context)]));
      const jobs: PgBossJobInsert[] = [...byId]
        // Sorted by id, so that two inserts of the same events cannot deadlock.
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, job]) => ({ id, data: storableJob(job), expireInSeconds, ...retry }));
      const lost = await store(queue, jobs, deleteAfterSeconds);
      if (lost.length === 0) return;
      throw new Error(
        `pg-boss did not store ${lost.length} of ${jobs.length} events. Check whether the queue ${queue} was changed.`,
      );
    } catch (error) {
      // The next delivery checks the queue again, so that the error names the setting to change.
      times = undefined;
      throw error;
    }
  };
  return Object.assign(enqueue, { retentionMs });
}
