import { ConfigError } from '../../errors.js';
import { checkClientOptions } from '../../internal/check-client.js';
import { type QueueDeadLetters, queueDeadLetters } from '../dead-letters.js';
import { nextJobId } from './job-id.js';
import { BOSS, deadLetterQueueOf, isPgBoss12, type PgBossJobLike, type PgBossLike, storing } from './jobs.js';

/** A job of pg-boss 12 in a dead-letter queue; older versions keep the reason as its `output`. */
interface DeadJob extends Pick<PgBossJobLike, 'id' | 'data'> {
  readonly createdOn: Date;
  readonly sourceRetryCount?: number | null;
  readonly sourceOutput?: unknown;
  readonly output?: unknown;
}

/** Most jobs that `findJobs` of pg-boss returns. */
const MOST = 100_000;

/**
 * The dead letters of a queue that `pgBossEnqueue` fills: the jobs that wait in its dead-letter queue, oldest first, up to
 * 100 000. A retry moves a job to the queue, for one try; discarding deletes it. Requires pg-boss 12.
 *
 * @example
 * ```ts
 * import { type PgBossLike, pgBossDeadLetters } from 'event-webhook-receiver/queues/pg-boss';
 *
 * declare const boss: PgBossLike; // your started PgBoss
 * const deadLetters = pgBossDeadLetters({ boss, queue: 'events' });
 * for (const { idempotencyKey, message } of (await deadLetters.list()).letters) console.log(idempotencyKey, message);
 * await deadLetters.retry({}); // after a fix
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option, and for pg-boss 10, which cannot list jobs.
 */
export function pgBossDeadLetters(options: { readonly boss: PgBossLike; readonly queue: string }): QueueDeadLetters {
  checkClientOptions('pgBossDeadLetters', options, BOSS, ['boss', 'queue']);
  const { boss, queue } = options;
  if (!isPgBoss12(boss)) throw new ConfigError('`boss` must be a PgBoss of pg-boss 12: version 10 cannot list jobs.');
  const store = storing(boss);

  /** Deletes a letter, once `move` has stored it elsewhere. Returns false if it is no longer there. */
  const remove = async (dead: string, id: string, move = async () => {}): Promise<boolean> => {
    if ((await boss.findJobs(dead, { id, queued: true })).length === 0) return false;
    await move();
    await boss.deleteJob(dead, id);
    return true;
  };
  return queueDeadLetters(async (start, limit) => {
    const dead = await deadLetterQueueOf(boss, queue);
    const jobs = (await boss.findJobs(dead, { queued: true, limit: MOST })) as readonly DeadJob[];
    const sorted = [...jobs].sort((a, b) => Number(a.createdOn) - Number(b.createdOn) || (a.id < b.id ? -1 : 1));
    return sorted.slice(start, start + limit).map(({ id, data, createdOn, sourceRetryCount, ...job }) => ({
      ...{ id, data, lastFailedAt: createdOn.getTime() },
      message: String(Object(data).failure ?? Object(job.sourceOutput ?? job.output).message),
      ...(typeof sourceRetryCount === 'number' && { attempts: sourceRetryCount + 1 }),
      // The id of the copy derives from that of the letter, so that a crash before the letter is deleted leaves one copy.
      retry: () =>
        remove(dead, id, async () => {
          const again = { id: nextJobId(id), data: { ...Object(data), failure: undefined }, retryLimit: 0 };
          const lost = await store(queue, [again]);
          if (lost.length > 0) throw new Error(`pg-boss did not store a dead letter in the queue ${queue}.`);
        }),
      discard: () => remove(dead, id),
    }));
  });
}
