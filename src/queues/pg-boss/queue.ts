import { ConfigError } from '../../errors.js';
import { isPgBoss12, type PgBossLike, type PgBossQueueLike } from './jobs.js';

/** What jobs of a queue are given. */
export interface JobTimes {
  readonly expireInSeconds: number;
  readonly deleteAfterSeconds: number;
}

/** What pg-boss 12 gives every queue that is created without an `expireInSeconds`. */
const DEFAULT_EXPIRY_SECONDS = 900;
/** pg-boss stores numbers of seconds as 32-bit integers. */
const MAX_SECONDS = 2 ** 31 - 1;

/** Checks that the queue is what the enqueue needs; gives the times of its jobs. Throws ConfigError if not. */
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
    refuse('does not exist: create it with boss.createQueue and a deadLetter, the dead-letter queue first');
  }
  const { policy, deadLetter, retentionMinutes, deleteAfterSeconds } = queue;
  if (!isStandard(queue)) refuse(`has the policy ${policy}, which drops jobs: it needs policy: 'standard'`);
  if (!deadLetter || deadLetter === name) {
    refuse('has no dead-letter queue: name one as deadLetter with boss.updateQueue');
  }
  const dead = await boss.getQueue(deadLetter);
  if (dead === null || !isStandard(dead)) {
    refuse(`has the dead-letter queue ${deadLetter}, which does not exist or does not have the policy 'standard'`);
  }
  if (retentionMinutes != null && retentionMinutes * 60_000 < retentionMs) {
    refuse(
      `has a retentionMinutes of ${retentionMinutes}: set it to ${Math.ceil(retentionMs / 60_000)} (retentionMs) or more`,
    );
  }
  // The default of pg-boss is 15 minutes: for so long the job of a worker that died would wait.
  const isDefault = isPgBoss12(boss) && queue.expireInSeconds === DEFAULT_EXPIRY_SECONDS;
  const chosen = isDefault ? undefined : queue.expireInSeconds;
  const expireInSeconds = chosen ?? Math.ceil((3 * handlerTimeoutMs) / 1000);
  if (isTooShort(expireInSeconds, handlerTimeoutMs)) {
    refuse(
      `has an expireInSeconds of ${expireInSeconds}: set it to more than twice handlerTimeoutMs, ${handlerTimeoutMs} ms`,
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
    // What pg-boss 10 throws when it has no connection.
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError('The PgBoss is not started, or was stopped: await boss.start() before deliveries come in.');
  }
}

function isStandard({ policy }: PgBossQueueLike): boolean {
  return policy == null || policy === 'standard';
}

/** Whether a job could be given to somebody else while its handler, and the store around it, are within their time. */
export function isTooShort(expireInSeconds: number, handlerTimeoutMs: number): boolean {
  return expireInSeconds * 1000 <= 2 * handlerTimeoutMs;
}
