import { nextJobId } from './job-id.js';
import { isPgBoss12, type PgBossJobInsert, type PgBossJobLike, type PgBossLike, storing } from './jobs.js';

/** The shortest time for which pg-boss 12 keeps a job that was sent again: until the earlier job can no longer run. */
const KEEP_SECONDS = 3600;

/**
 * Stores a copy of the job of an event that must wait, under another id, to run later: pg-boss cannot delay a running
 * job. The copy's id derives from that of the job, so that a crash before the job is completed leaves one copy, not
 * two.
 */
export function createSendAgain(boss: PgBossLike): (job: PgBossJobLike, delayMs: number) => Promise<void> {
  const store = storing(boss);

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
