import { ConfigError } from '../../errors.js';
import { type ClientOption, hasMethods } from '../../internal/check-client.js';

/** The part of a pg-boss `Job` that the worker uses. */
export interface PgBossJobLike {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  readonly expireInSeconds: number;
}

/** A job that is inserted, for either version of pg-boss. */
export interface PgBossJobInsert {
  id: string;
  data: object;
  retryLimit?: number;
  retryDelay?: number;
  retryBackoff?: boolean;
  expireInSeconds?: number;
  /** A number of seconds from now. */
  startAfter?: string;
}

/** The part of pg-boss's queue settings that is checked. */
export interface PgBossQueueLike {
  readonly policy?: string | null | undefined;
  readonly deadLetter?: string | null | undefined;
  /** In pg-boss 10. */
  readonly retentionMinutes?: number | null | undefined;
  /** In pg-boss 12; 0 is forever. */
  readonly deleteAfterSeconds?: number | null | undefined;
  readonly expireInSeconds?: number | null | undefined;
}

/** The part of the `PgBoss` of pg-boss 10 that the enqueue and the worker use. */
export interface PgBoss10Like {
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  insert(jobs: (PgBossJobInsert & { name: string; keepUntil: string })[]): Promise<unknown>;
  getJobById(
    name: string,
    id: string,
    options: { includeArchive: boolean },
  ): Promise<{ readonly state: string } | null>;
  complete(name: string, id: string): Promise<unknown>;
}

/** The part of the `PgBoss` of pg-boss 12 that the enqueue, the worker and dead letters use. */
export interface PgBoss12Like {
  getQueue(name: string): Promise<PgBossQueueLike | null>;
  insert(
    name: string,
    jobs: (PgBossJobInsert & { retentionSeconds: number; deleteAfterSeconds?: number })[],
    options: { returnId: boolean },
  ): Promise<readonly string[] | null>;
  findJobs(name: string, options: { id?: string; queued?: boolean; limit?: number }): Promise<readonly object[]>;
  deleteJob(name: string, id: string): Promise<unknown>;
  complete(name: string, id: string): Promise<unknown>;
}

/** A `PgBoss` of pg-boss 10 or 12. */
export type PgBossLike = PgBoss10Like | PgBoss12Like;

/** The option `boss` of the enqueue and the worker. */
export const BOSS: ClientOption = {
  name: 'boss',
  takes: 'a PgBoss',
  isClient: (value) => hasMethods<PgBoss10Like>(value, 'insert', 'getQueue', 'complete'),
};

/** pg-boss removes jobs that have waited this long: an acknowledged event must not be among them. */
const KEEP_SECONDS = 10 * 365 * 86_400;

/** Whether this is pg-boss 12. Version 10 has no `findJobs`. */
export function isPgBoss12(boss: PgBossLike): boss is PgBoss12Like {
  return 'findJobs' in boss && typeof boss.findJobs === 'function';
}

/** The name of a queue's dead-letter queue. Throws ConfigError if it has none. */
export async function deadLetterQueueOf(boss: PgBossLike, queue: string): Promise<string> {
  const name = (await boss.getQueue(queue))?.deadLetter;
  if (name) return name;
  throw new ConfigError(`The pg-boss queue ${queue} has no dead-letter queue. Set deadLetter with boss.updateQueue.`);
}

/**
 * Stores the jobs that pg-boss does not have yet, queued or completed, in one statement. Returns the jobs that are not
 * stored afterwards: pg-boss silently skips jobs that the policy of the queue excludes.
 *
 * @param deleteAfterSeconds How long pg-boss 12 keeps a completed job. (Default: the queue's setting.)
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
 * pg-boss 10 moves completed jobs to an archive that an insert does not check, and has no method that finds several
 * jobs there. Nor does an insert return the stored jobs.
 */
function storingIn10(boss: PgBoss10Like): StoreJobs {
  return async (name, jobs) => {
    const isQueued = async (id: string) => (await boss.getJobById(name, id, { includeArchive: false })) !== null;
    const isKept = async (id: string) => {
      // This reads the archive last, so a job that is being archived is found in one of the two.
      const job = await boss.getJobById(name, id, { includeArchive: true });
      if (job === null) return false;
      // A job that was archived before it ran has not taken effect.
      return (job.state !== 'created' && job.state !== 'retry') || isQueued(id);
    };
    const missing = await without(jobs, isKept);
    if (missing.length === 0) return missing;
    const keepUntil = new Date(Date.now() + KEEP_SECONDS * 1000).toISOString();
    await boss.insert(missing.map((job) => ({ ...job, name, keepUntil })));
    return without(missing, isQueued);
  };
}

/** Resolves to the jobs that are not found. */
async function without(
  jobs: readonly PgBossJobInsert[],
  isFound: (id: string) => Promise<boolean>,
): Promise<PgBossJobInsert[]> {
  const found = await Promise.all(jobs.map(({ id }) => isFound(id)));
  return jobs.filter((_, index) => !found[index]);
}
