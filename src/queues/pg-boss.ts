import { ConfigError } from '../errors.js';
import { checkNumber, MAX_TIMER_MS } from '../limits.js';
import type { ReceiverOptions } from '../options.js';
import {
  type HandOffOptions,
  isUnstorable,
  type JobData,
  jobsOf,
  pgBossJobId,
  resolveHandOffOptions,
  storableJob,
} from './job.js';
import {
  checkQueue,
  checkSchema,
  KEEP_MS,
  openDb,
  type PgBossDbLike,
  type PgBossQueuesLike,
  schemaOf,
} from './pg-boss-queue.js';

export type { EventJob, HandOffOptions, JobData, JobOptions, OnEvent } from './job.js';
export type { PgBossDbLike, PgBossQueueLike, PgBossQueuesLike } from './pg-boss-queue.js';
export {
  type PgBossJobLike,
  type PgBossSettleLike,
  type PgBossWorkerOptions,
  pgBossWorker,
} from './pg-boss-worker.js';

/** A job as it is inserted. */
export interface PgBossJobInsert {
  id: string;
  name: string;
  data: JobData;
  retryLimit: number;
  retryDelay: number;
  retryBackoff: boolean;
  expireInSeconds: number;
  keepUntil: string;
}

/** What a hand-off uses of `PgBoss`. */
export interface PgBossLike extends PgBossQueuesLike {
  insert(jobs: PgBossJobInsert[], options: { db: PgBossDbLike }): Promise<unknown>;
}

/** Options of {@link pgBossHandOff}. */
export interface PgBossHandOffOptions extends HandOffOptions {
  /**
   * The schema that pg-boss has its tables in. Needed only where you gave its constructor both a `schema` and a `db`.
   * (Default: what the `PgBoss` says, else `pgboss`.)
   */
  readonly schema?: string | undefined;
  /**
   * The worker's `handlerTimeoutMs`, in ms. A job whose worker died expires after three times that, unless the queue has an
   * `expireInSeconds`, which must be more than twice that. (Default: 30 000.)
   */
  readonly handlerTimeoutMs?: number | undefined;
}

/**
 * Creates a `handOff` that stores the events of a delivery in a pg-boss queue: one `insert` a delivery, one job an event,
 * whose id comes from the idempotency key, so that an event that is delivered again is not added again for as long as
 * pg-boss has its job, in the archive too. It resolves when every event is found to be stored.
 *
 * The queue and its dead-letter queue must exist. They are checked when the first delivery comes, and while
 * a setting loses events, every hand-off is rejected with a ConfigError that says what to change. For how long `boss` keeps what is done is one of these; any other PgBoss on its schema, as a worker's, must do the same.
 *
 * @example
 * ```ts
 * import PgBoss from 'pg-boss';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { pgBossHandOff } from 'event-webhook-receiver/queues/pg-boss';
 *
 * const boss = new PgBoss('postgres://localhost/app');
 * boss.on('error', console.error);
 * await boss.start();
 * await boss.createQueue('events-dead');
 * await boss.createQueue('events', { name: 'events', deadLetter: 'events-dead' });
 * const handOff = pgBossHandOff(boss, 'events');
 * const receiver = createReceiver({ secret: 'whsec-test', toleranceSeconds: 300, handOff });
 * ```
 * @param boss Your `PgBoss`, started.
 * @param name The name of the queue.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense.
 */
export function pgBossHandOff(
  boss: PgBossLike,
  name: string,
  options: PgBossHandOffOptions = {},
): NonNullable<ReceiverOptions['handOff']> {
  if (typeof boss?.insert !== 'function') throw new ConfigError('pgBossHandOff needs a PgBoss.');
  if (typeof name !== 'string' || name === '') throw new ConfigError('pgBossHandOff needs the name of a queue.');
  const { schema: given, handlerTimeoutMs = 30_000 } = options;
  if (given !== undefined) checkSchema(given);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const { attempts, backoffMs, retentionMs } = resolveHandOffOptions(options);
  const retry = { retryLimit: attempts - 1, retryDelay: Math.ceil(backoffMs / 1000), retryBackoff: backoffMs > 0 };

  async function findMissing(ids: Iterable<string>): Promise<Set<string>> {
    const missing = new Set(ids);
    const db = openDb(boss);
    const schema = schemaOf(db, given);
    // Both tables in one statement, so that a job on its way from one to the other is in one of them. What was archived
    // without having been worked on has not taken effect.
    const find = `
      SELECT id FROM ${schema}.job WHERE name = $1 AND id = ANY($2::uuid[])
      UNION ALL
      SELECT id FROM ${schema}.archive WHERE name = $1 AND id = ANY($2::uuid[]) AND state > 'active'`;
    const { rows } = await db.executeSql(find, [name, [...missing]]);
    for (const row of rows) missing.delete(String(Object(row).id));
    return missing;
  }

  /** The queue's `expireInSeconds`, once the queue was found to fit. */
  let queue: Promise<number> | undefined;
  const forget = () => {
    queue = undefined;
  };
  function checkedQueue(): Promise<number> {
    if (queue === undefined) {
      queue = checkQueue(boss, name, retentionMs, handlerTimeoutMs);
      queue.catch(forget);
    }
    return queue;
  }

  /** Inserts jobs; gives how many were inserted, where the database says it. */
  async function insert(jobs: PgBossJobInsert[]): Promise<unknown> {
    let inserted: unknown;
    let isRefused = false;
    const db: PgBossDbLike = {
      async executeSql(text, values) {
        // Looked for in the JSON that pg-boss makes anyway: making it once more for this costs too much.
        isRefused = !isRefused && values.some(isUnstorable);
        if (isRefused) return { rows: [] };
        const result = await boss.getDb().executeSql(text, values);
        inserted = 'rowCount' in result ? result.rowCount : undefined;
        return result;
      },
    };
    await boss.insert(jobs, { db });
    if (isRefused) {
      for (const job of jobs) job.data = storableJob(job.data);
      await boss.insert(jobs, { db });
    }
    return inserted;
  }

  return async (events, context) => {
    if (events.length === 0) return;
    const expireInSeconds = await checkedQueue();
    const byId = new Map(jobsOf(events, context).map((job) => [pgBossJobId(job.idempotencyKey), job]));
    const missing = await findMissing(byId.keys());
    if (missing.size === 0) return;

    const keepUntil = new Date(Date.now() + KEEP_MS).toISOString();
    const jobs: PgBossJobInsert[] = [...byId]
      .filter(([id]) => missing.has(id))
      // In the order of their ids, so that two inserts of the same events cannot wait for each other.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, data]) => ({ id, name, data, expireInSeconds, keepUntil, ...retry }));
    const inserted = await insert(jobs);
    // pg-boss does not say what it left out: jobs that another delivery has added since, or all of them where the
    // queue is gone or has got another policy.
    if (inserted === jobs.length) return;
    const lost = await findMissing(byId.keys());
    if (lost.size === 0) return;
    queue = undefined;
    throw new Error(`pg-boss did not store ${lost.size} of ${byId.size} events. Was the queue ${name} changed?`);
  };
}
