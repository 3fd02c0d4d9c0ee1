import { ConfigError, InvalidEventError } from '../../errors.js';
import {
  createRunJob,
  type EventJob,
  engineError,
  type JobOptions,
  LONGEST_TEXT,
  type OnEvent,
  readJob,
} from '../job.js';
import { type PgBoss10Like, type PgBoss12Like, type StoreJobs, storing } from './jobs.js';
import { isTooShort } from './queue.js';

/** What is used of a pg-boss `Job`. */
export interface PgBossJobLike {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  readonly expireInSeconds: number;
}

/** What a worker uses of `PgBoss`, of pg-boss 10 or 12. */
export type PgBossSettleLike = (PgBoss10Like | PgBoss12Like) & {
  complete(name: string, id: string): Promise<unknown>;
};

/** Options of {@link pgBossWorker}. */
export interface PgBossWorkerOptions<Tx = undefined> extends JobOptions<Tx> {
  /**
   * The `PgBoss` that the worker works for. With it, `batchSize` may be above 1, and a job whose data is no event job goes
   * to the dead-letter queue at once. (Default: none; such a job goes there when its tries are used up.)
   */
  readonly boss?: PgBossSettleLike | undefined;
}

/**
 * Creates the worker for `boss.work` of the queue that `pgBossEnqueue` fills. A job whose handler fails is tried again
 * by pg-boss, and goes to the dead-letter queue when its tries are used up. The jobs of a batch run at the same time,
 * and one that fails neither fails nor repeats the others. A job whose data is no event job goes to the dead-letter
 * queue as `{ data, issues }`.
 *
 * The job of a worker that died runs again once it has expired and a `PgBoss` has seen that (`supervise`; every
 * `maintenanceIntervalSeconds` in pg-boss 10, `superviseIntervalSeconds` and `monitorIntervalSeconds` in 12); each death is one of its tries. Without `store`, such a job takes effect again. pg-boss 10 does not catch what
 * goes wrong when it settles a job: where the database goes away while one runs, the process ends with an unhandled
 * rejection, so have it started again.
 *
 * @example
 * ```ts
 * import PgBoss from 'pg-boss';
 * import { pgBossWorker } from 'event-webhook-receiver/queues/pg-boss';
 *
 * const boss = new PgBoss('postgres://localhost/app');
 * boss.on('error', console.error);
 * await boss.start();
 * const worker = pgBossWorker(async (event) => console.log(event.event, event.id), { boss });
 * await boss.work('events', { batchSize: 10 }, worker);
 * ```
 * @param onEvent Handles one event, as the receiver's option of that name: `router.dispatch` is one.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense. The worker itself rejects with one, and takes
 * nothing as done, for a batch without `boss` and for jobs that expire before `handlerTimeoutMs` is over.
 */
export function pgBossWorker<Tx = undefined>(
  onEvent: OnEvent<NoInfer<Tx>>,
  options: PgBossWorkerOptions<Tx> = {},
): (jobs: readonly PgBossJobLike[]) => Promise<void> {
  const { boss, handlerTimeoutMs = 30_000 } = options;
  if (boss !== undefined && typeof boss.complete !== 'function') throw new ConfigError('Option boss must be a PgBoss.');
  const run = createRunJob(onEvent, options);
  const deadLetter = boss && deadLetters(boss, storing(boss));

  async function settle(job: PgBossJobLike, isAlone: boolean): Promise<void> {
    const read = readOrInvalid(job.data);
    if (!(read instanceof InvalidEventError)) await run(read);
    else if (deadLetter === undefined) throw read;
    else await deadLetter(job, read);
    // pg-boss settles a batch as one. What is complete by then is not touched when the batch fails for another job.
    if (!isAlone) await boss?.complete(job.name, job.id);
  }

  return async (jobs) => {
    if (jobs.length > 1 && boss === undefined) {
      throw new ConfigError(
        'A batchSize above 1 needs the option boss of pgBossWorker, to settle its jobs one by one.',
      );
    }
    const shortest = Math.min(...jobs.map(({ expireInSeconds }) => Number(expireInSeconds)));
    if (isTooShort(shortest, handlerTimeoutMs)) {
      throw new ConfigError(
        `Jobs expire after ${shortest} seconds, which must be more than twice handlerTimeoutMs, ${handlerTimeoutMs} ms: give pgBossEnqueue the same handlerTimeoutMs, or the queue a longer expireInSeconds.`,
      );
    }
    const settled = await Promise.allSettled(jobs.map((job) => settle(job, jobs.length === 1)));
    const errors = settled.flatMap((each, index) =>
      each.status === 'rejected' ? [{ id: jobs[index]?.id, error: engineError(each.reason) }] : [],
    );
    const [first] = errors;
    if (first === undefined) return;
    // Thrown only now: pg-boss fails what is not complete, and none of it can be in another worker's hands yet. It gives
    // all of them the same reason, so that each must be found in it.
    if (errors.length === 1) throw first.error;
    const share = Math.floor(LONGEST_TEXT / errors.length) - 50;
    throw new Error(errors.map(({ id, error }) => `job ${id}: ${error.message.slice(0, share)}`).join('\n'));
  };
}

function readOrInvalid(data: unknown): EventJob | InvalidEventError {
  try {
    return readJob(data);
  } catch (error) {
    if (error instanceof InvalidEventError) return error;
    throw error;
  }
}

/** Under the id of the job, so that a crash before the job is settled leaves one dead letter and not two. */
function deadLetters(boss: PgBossSettleLike, store: StoreJobs) {
  return async (job: PgBossJobLike, { issues }: InvalidEventError): Promise<void> => {
    const name = (await boss.getQueue(job.name))?.deadLetter;
    if (!name)
      throw new ConfigError(`The pg-boss queue ${job.name} has no dead-letter queue for a job that is no event.`);
    const lost = await store(name, [{ id: job.id, data: { data: job.data, issues } }]);
    if (lost.length > 0) throw new Error(`pg-boss did not store a job in the dead-letter queue ${name}.`);
  };
}
