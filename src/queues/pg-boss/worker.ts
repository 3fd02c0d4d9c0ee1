import { ConfigError, InvalidEventError } from '../../errors.js';
import { isNonRetryable } from '../../handle/non-retryable.js';
import { checkClientOptions } from '../../internal/check-client.js';
import { isRecord } from '../../internal/guards.js';
import { engineError, LONGEST_TEXT } from '../engine-error.js';
import { readJob } from '../job.js';
import { createRunJob, type EventWorkerOptions, WORKER_OPTIONS } from '../run-job.js';
import { nextJobId } from './job-id.js';
import {
  BOSS,
  deadLetterQueueOf,
  isPgBoss12,
  type PgBossJobInsert,
  type PgBossJobLike,
  type PgBossLike,
  type StoreJobs,
  storing,
} from './jobs.js';
import { isTooShort } from './queue.js';

/** Options of {@link pgBossWorker}. */
export interface PgBossWorkerOptions<Tx = undefined> extends EventWorkerOptions<Tx> {
  /** The `PgBoss` whose `work` runs the worker. It settles each job of a batch separately. */
  readonly boss: PgBossLike;
}

/**
 * Creates the worker for `boss.work` of the queue that `pgBossEnqueue` fills. If the handler fails, pg-boss retries the
 * job, and moves it to the dead-letter queue when the tries are used up. It moves it there at once, with the reason in
 * the property `failure`, if the handler throws a NonRetryableError, or if the data is not an event job. The jobs of a
 * batch run concurrently, and a failed job neither fails nor repeats the others. With `finality`, the job of an event that must wait is stored again under another id, with the same data
 * and retries, to run later, and then completes. pg-boss 12 keeps completed copies for an hour, pg-boss 10 as long as
 * other jobs.
 *
 * It does not deduplicate without `store`: the job of a worker that died takes effect again. The job runs again once it
 * has expired and a `PgBoss` has noticed (`supervise`; every `maintenanceIntervalSeconds` in pg-boss 10,
 * `superviseIntervalSeconds` and `monitorIntervalSeconds` in 12); each death uses up one try. pg-boss 10 does not catch
 * errors while it settles a job: if the database goes away while a job runs, the process ends with an unhandled
 * rejection, so have it restarted.
 *
 * @example
 * ```ts
 * import PgBoss from 'pg-boss';
 * import { pgBossWorker } from 'event-webhook-receiver/queues/pg-boss';
 *
 * const boss = new PgBoss('postgres://localhost/app');
 * boss.on('error', console.error);
 * await boss.start();
 * const worker = pgBossWorker({ boss, onEvent: async (event) => console.log(event.event, event.id) });
 * await boss.work('events', { batchSize: 10 }, worker);
 * ```
 * @param options The PgBoss, the handler and how it runs; times are in milliseconds.
 * @returns The handler for `boss.work`. It rejects with a ConfigError, and completes no job, if jobs expire before
 * `handlerTimeoutMs` is over.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function pgBossWorker<Tx = undefined>(
  options: PgBossWorkerOptions<Tx>,
): (jobs: readonly PgBossJobLike[]) => Promise<void> {
  checkClientOptions('pgBossWorker', options, BOSS, ['boss', ...WORKER_OPTIONS]);
  const { boss } = options;
  const { runJob, handlerTimeoutMs } = createRunJob(options);
  const store = storing(boss);
  const deadLetter = deadLetters(boss, store);
  const sendAgain = sendingAgain(boss, store);

  async function settle(job: PgBossJobLike, isAlone: boolean): Promise<void> {
    try {
      const delay = await runJob(readJob(job.data));
      if (delay) await sendAgain(job, delay.delayMs);
    } catch (error) {
      if (!(error instanceof InvalidEventError) && !isNonRetryable(Object(error).cause)) throw error;
      await deadLetter(job, engineError(error).message);
    }
    // pg-boss settles a batch as a whole, but does not change a completed job when the batch fails because of another.
    if (!isAlone) await boss.complete(job.name, job.id);
  }

  return async (jobs) => {
    const shortest = Math.min(...jobs.map(({ expireInSeconds }) => Number(expireInSeconds)));
    if (isTooShort(shortest, handlerTimeoutMs)) {
      throw new ConfigError(
        `Jobs expire after ${shortest} s, which must be more than twice handlerTimeoutMs (${handlerTimeoutMs} ms). Give pgBossEnqueue the same handlerTimeoutMs, or the queue a longer expireInSeconds.`,
      );
    }
    const settled = await Promise.allSettled(jobs.map((job) => settle(job, jobs.length === 1)));
    const errors = settled.flatMap((each, index) =>
      each.status === 'rejected' ? [{ id: jobs[index]?.id, error: engineError(each.reason) }] : [],
    );
    const [first] = errors;
    if (first === undefined) return;
    // Thrown after all jobs have settled: pg-boss fails every job that is not complete, and no other worker can have
    // such a job yet. pg-boss stores one reason for all of them, so the reason must name each job.
    if (errors.length === 1) throw first.error;
    const share = Math.floor(LONGEST_TEXT / errors.length) - 50;
    throw new Error(errors.map(({ id, error }) => `job ${id}: ${error.message.slice(0, share)}`).join('\n'));
  };
}

/** Copies jobs to the dead-letter queue with the same id, so that a crash in between leaves only one dead letter. */
function deadLetters(boss: PgBossLike, store: StoreJobs) {
  return async ({ id, name, data }: PgBossJobLike, failure: string): Promise<void> => {
    const dead = await deadLetterQueueOf(boss, name);
    const lost = await store(dead, [{ id, data: { ...(isRecord(data) ? data : { data }), failure } }]);
    if (lost.length > 0) throw new Error(`pg-boss did not store a job in the dead-letter queue ${dead}.`);
  };
}

/** The shortest time for which pg-boss 12 keeps a job that was sent again: until the earlier job can no longer run. */
const KEEP_SECONDS = 3600;

/**
 * Stores a copy of the job of an event that must wait, under another id, to run later: pg-boss cannot delay a running
 * job. The copy's id derives from that of the job, so that a crash before the job is completed leaves one copy, not
 * two.
 */
function sendingAgain(boss: PgBossLike, store: StoreJobs): (job: PgBossJobLike, delayMs: number) => Promise<void> {
  /** How pg-boss retries the job. */
  async function retriesOf({ name, id }: PgBossJobLike): Promise<Retries> {
    const found: object | null | undefined = isPgBoss12(boss)
      ? (await boss.findJobs(name, { id }))[0]
      : await boss.getJobById(name, id, { includeArchive: false });
    if (!found) throw new Error('pg-boss does not find the job that it runs, so the job cannot be sent again.');
    const { retryLimit, retryDelay, retryBackoff } = found as Retries;
    return { retryLimit, retryDelay, retryBackoff };
  }

  return async (job, delayMs) => {
    const expireInSeconds = Number(job.expireInSeconds);
    const again: PgBossJobInsert = {
      id: nextJobId(job.id),
      data: job.data as object,
      expireInSeconds,
      // Relative, so that the clock of the database applies.
      startAfter: String(delayMs / 1000),
      ...(await retriesOf(job)),
    };
    const lost = await store(job.name, [again], Math.max(KEEP_SECONDS, 2 * expireInSeconds));
    if (lost.length > 0) throw new Error(`pg-boss did not store a job again in the queue ${job.name}.`);
  };
}

type Retries = Required<Pick<PgBossJobInsert, 'retryLimit' | 'retryDelay' | 'retryBackoff'>>;
