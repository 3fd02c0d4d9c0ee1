/** A job as either version of pg-boss takes it. */
export interface PgBossJobInsert {
  id: string;
  data: object;
  retryLimit?: number;
  retryDelay?: number;
  retryBackoff?: boolean;
  expireInSeconds?: number;
}

/** What is used of pg-boss's description of a queue. */
export interface PgBossQueueLike {
  readonly policy?: string | null | undefined;
  readonly deadLetter?: string | null | undefined;
  /** In pg-boss 10. */
  readonly retentionMinutes?: number | null | undefined;
  /** In pg-boss 12; 0 is forever. */
  readonly deleteAfterSeconds?: number | null | undefined;
  readonly expireInSeconds?: number | null | undefined;
}

/** What is used of the `PgBoss` of pg-boss 10. */
export interface PgBoss10Like {
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  insert(jobs: (PgBossJobInsert & { name: string; keepUntil: string })[]): Promise<unknown>;
  getJobById(
    name: string,
    id: string,
    options: { includeArchive: boolean },
  ): Promise<{ readonly state: string } | null>;
}

/** What is used of the `PgBoss` of pg-boss 12. */
export interface PgBoss12Like {
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  insert(
    name: string,
    jobs: (PgBossJobInsert & { retentionSeconds: number; deleteAfterSeconds?: number })[],
    options: { returnId: boolean },
  ): Promise<readonly string[] | null>;
  findJobs(name: string, options: { id: string }): Promise<readonly unknown[]>;
}

/** What a enqueue uses of `PgBoss`, of pg-boss 10 or 12. */
export type PgBossLike = PgBoss10Like | PgBoss12Like;

/** pg-boss removes jobs that nobody has worked on for so long: an acknowledged event must not be among them. */
const KEEP_SECONDS = 10 * 365 * 86_400;

/** Whether it is pg-boss 12: 10 has no `findJobs`. */
export function isPgBoss12(boss: PgBossLike): boss is PgBoss12Like {
  return 'findJobs' in boss && typeof boss.findJobs === 'function';
}

/**
 * Stores the jobs that pg-boss does not have yet, neither in the queue nor done, in one statement. Gives those that are
 * not stored afterwards: pg-boss leaves out without a word what a queue's policy does not take.
 *
 * @param deleteAfterSeconds How long pg-boss 12 keeps a job that is done. (Default: as long as its queue says.)
 */
export type StoreJobs = (
  name: string,
  jobs: readonly PgBossJobInsert[],
  deleteAfterSeconds?: number,
) => Promise<readonly PgBossJobInsert[]>;

export function storing(boss: PgBossLike): StoreJobs {
  return isPgBoss12(boss) ? storingIn12(boss) : storingIn10(boss);
}

function storingIn12(boss: PgBoss12Like): StoreJobs {
  return async (name, jobs, deleteAfterSeconds) => {
    const kept = { retentionSeconds: KEEP_SECONDS, ...(deleteAfterSeconds !== undefined && { deleteAfterSeconds }) };
    const inserted = await boss.insert(
      name,
      jobs.map((job) => ({ ...job, ...kept })),
      { returnId: true },
    );
    const ids = new Set(inserted);
    return without(
      jobs.filter(({ id }) => !ids.has(id)),
      async (id) => (await boss.findJobs(name, { id })).length > 0,
    );
  };
}

/**
 * pg-boss 10 moves what is done to an archive, where an insert does not see it, and has no method that looks for more than
 * one job there. It does not say what an insert stored either.
 */
function storingIn10(boss: PgBoss10Like): StoreJobs {
  return async (name, jobs) => {
    const isQueued = async (id: string) => (await boss.getJobById(name, id, { includeArchive: false })) !== null;
    const isKept = async (id: string) => {
      // It looks into the archive last, so that a job on its way there is found in one of the two.
      const job = await boss.getJobById(name, id, { includeArchive: true });
      if (job === null) return false;
      // What was archived without having been worked on has not taken effect.
      return (job.state !== 'created' && job.state !== 'retry') || isQueued(id);
    };
    const missing = await without(jobs, isKept);
    if (missing.length === 0) return missing;
    const keepUntil = new Date(Date.now() + KEEP_SECONDS * 1000).toISOString();
    await boss.insert(missing.map((job) => ({ ...job, name, keepUntil })));
    return without(missing, isQueued);
  };
}

/** The jobs without those that are found. */
async function without(
  jobs: readonly PgBossJobInsert[],
  isFound: (id: string) => Promise<boolean>,
): Promise<PgBossJobInsert[]> {
  const found = await Promise.all(jobs.map(({ id }) => isFound(id)));
  return jobs.filter((_, index) => !found[index]);
}
