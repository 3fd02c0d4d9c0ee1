import { ConfigError } from '../../errors.js';
import { isPgBoss12, type PgBossLike, type PgBossQueueLike } from './jobs.js';

/** The times for the jobs of a queue. */
export interface JobTimes {
  readonly expireInSeconds: number;
  readonly deleteAfterSeconds: number;
}

/** The `expireInSeconds` of a pg-boss 12 queue that was created without one. */
const DEFAULT_EXPIRY_SECONDS = 900;
/** pg-boss stores numbers of seconds as 32-bit integers. */
const MAX_SECONDS = 2 ** 31 - 1;

/** Returns the times for the jobs of a queue. Throws ConfigError if a setting of the queue could lose events. */
export async function checkQueue(
  boss: PgBossLike,
  name: string,
  retentionMs: number,
  handlerTimeoutMs: number,
): Promise<JobTimes> {
  const queue = await readQueue(boss, name);
  const refuse: (what: string) => never = (what) => {
    throw new ConfigError(`The pg-boss queue ${name} ${what}.`);
  };
  if (queue === null) {
    refuse('does not exist. Create its dead-letter queue, then the queue with boss.createQueue and that deadLetter');
  }
  const { policy, deadLetter, retentionMinutes, deleteAfterSeconds } = queue;
  if (!isStandard(queue)) refuse(`has the policy ${policy}, which drops jobs. Use policy: 'standard'`);
  if (!deadLetter || deadLetter === name) {
    refuse('has no dead-letter queue. Set deadLetter with boss.updateQueue');
  }
  const dead = await boss.getQueue(deadLetter);
  if (dead === null || !isStandard(dead)) {
    refuse(`has the dead-letter queue ${deadLetter}, which must exist and have the policy 'standard'`);
  }
  if (retentionMinutes != null && retentionMinutes * 60_000 < retentionMs) {
    refuse(
      `has a retentionMinutes of ${retentionMinutes}. Set it to ${Math.ceil(retentionMs / 60_000)} (retentionMs) or more`,
    );
  }
  // With pg-boss's default, the job of a dead worker would wait for 15 minutes.
  const isDefault = isPgBoss12(boss) && queue.expireInSeconds === DEFAULT_EXPIRY_SECONDS;
  const chosen = isDefault ? undefined : queue.expireInSeconds;
  const expireInSeconds = chosen ?? Math.ceil((3 * handlerTimeoutMs) / 1000);
  if (isTooShort(expireInSeconds, handlerTimeoutMs)) {
    refuse(
      `has an expireInSeconds of ${expireInSeconds}. Set it to more than twice handlerTimeoutMs (${handlerTimeoutMs} ms)`,
    );
  }
  const retentionSeconds = Math.min(Math.ceil(retentionMs / 1000), MAX_SECONDS);
  const isForever = deleteAfterSeconds === 0;
  return { expireInSeconds, deleteAfterSeconds: isForever ? 0 : Math.max(deleteAfterSeconds ?? 0, retentionSeconds) };
}

async function readQueue(boss: PgBossLike, name: string): Promise<PgBossQueueLike | null> {
  try {
    return await boss.getQueue(name);
  } catch (error) {
    // pg-boss 10 throws a TypeError when it has no connection.
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError('The PgBoss is not started, or was stopped. Await boss.start() before deliveries arrive.');
  }
}

function isStandard({ policy }: PgBossQueueLike): boolean {
  return policy == null || policy === 'standard';
}

/** Whether a job could expire, and go to another worker, while its handler and store are within their limits. */
export function isTooShort(expireInSeconds: number, handlerTimeoutMs: number): boolean {
  return expireInSeconds * 1000 <= 2 * handlerTimeoutMs;
}
