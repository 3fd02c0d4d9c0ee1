import { createHash } from 'node:crypto';
import { ConfigError } from '../../errors.js';
import type { Enqueue } from '../../handle/types.js';
import { type ClientOption, checkClientOptions, hasMethods } from '../../internal/check-client.js';
import { isRecord } from '../../internal/guards.js';
import { type JobData, jobOf, storableJob } from '../job.js';
import { ENQUEUE_OPTIONS, type EnqueueOptions, resolveEnqueueOptions } from '../options.js';

/** The part of BullMQ's `Queue` that the enqueue uses, on Redis or on Postgres. */
export interface BullmqQueueLike {
  readonly defaultJobOptions?: object | undefined;
  addBulk(jobs: BullmqJobInsert[]): Promise<readonly { readonly id?: string | undefined }[]>;
}

/** A job to add. */
export interface BullmqJobInsert {
  name: string;
  data: JobData;
  opts: {
    jobId: string;
    attempts: number;
    backoff: { type: string; delay: number };
    removeOnComplete: false | { age: number };
    removeOnFail: false;
  };
}

/** Options of {@link bullmqEnqueue}. */
export interface BullmqEnqueueOptions extends EnqueueOptions {
  /** Your `Queue`, on Redis or, with `createPostgresBackend`, on Postgres. Use it for events only. */
  readonly queue: BullmqQueueLike;
}

/** The option `queue` of the enqueue and of dead letters. */
export const QUEUE: ClientOption = {
  name: 'queue',
  takes: 'a Queue of BullMQ',
  isClient: (value) => hasMethods<BullmqQueueLike>(value, 'addBulk'),
};

/**
 * Creates an `enqueue` that stores the events of a delivery in a BullMQ queue: one `addBulk` per delivery, one job per
 * event. The job id derives from the idempotency key, so a redelivered event is not added again while its job is kept.
 * It resolves when the engine has stored every event. Failed jobs are kept as dead letters.
 *
 * It does not check how durable the engine is: a Redis that does not write each command to disk (`appendfsync always`)
 * can lose acknowledged events. Do not share the queue with other producers: their `removeOnComplete` would remove event
 * jobs too.
 *
 * @example
 * ```ts
 * import { Queue } from 'bullmq';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { bullmqEnqueue } from 'event-webhook-receiver/queues/bullmq';
 *
 * const queue = new Queue('events', { connection: { host: 'localhost' } });
 * const receiver = createReceiver({ secret: 'whsec-test', enqueue: bullmqEnqueue({ queue }) });
 * ```
 * @param options The queue; times are in milliseconds.
 * @returns The function for the receiver's `enqueue` option. It rejects if an event was not stored.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option, or if the queue's `defaultJobOptions` would
 * drop jobs or remove them too early.
 */
export function bullmqEnqueue(options: BullmqEnqueueOptions): Enqueue {
  checkClientOptions('bullmqEnqueue', options, QUEUE, ['queue', ...ENQUEUE_OPTIONS]);
  const { queue } = options;
  const { attempts, backoffMs, retentionMs } = resolveEnqueueOptions(options);
  const removeOnComplete = retentionOf(queue.defaultJobOptions ?? {}, Math.ceil(retentionMs / 1000));
  const opts = { attempts, backoff: { type: 'exponential', delay: backoffMs }, removeOnComplete };

  const enqueue: Enqueue = async (entries, context) => {
    if (entries.length === 0) return;
    const jobs = entries.map<BullmqJobInsert>((entry) => ({
      name: entry.event.event,
      data: storableJob(jobOf(entry, context)),
      opts: { ...opts, jobId: bullmqJobId(entry.idempotencyKey), removeOnFail: false },
    }));
    const added = await queue.addBulk(jobs);
    // If the engine keeps another job instead, it returns the id of that job.
    const lost = jobs.filter((job, index) => added[index]?.id !== job.opts.jobId);
    if (lost.length === 0) return;
    throw new Error(`BullMQ did not store ${lost.length} of ${jobs.length} events. Use the queue for events only.`);
  };
  return Object.assign(enqueue, { retentionMs });
}

/**
 * Text that BullMQ accepts as an id and that differs from BullMQ's own key names. On Redis a job's key is the queue's
 * name and the id, so a job with the id `meta` would be mistaken for an existing one. None of BullMQ's key names
 * contains a digit.
 */
const PLAIN = /^(?=.*[0-9])[\w.@+-]{1,200}$/;
const HASHED = 'sha256-';

/** The BullMQ id of a key: the key itself if BullMQ accepts it, otherwise its hash. Different keys have different ids. */
export function bullmqJobId(key: string): string {
  // BullMQ refuses integers, and a database may generate other numbers as ids.
  if (PLAIN.test(key) && Number.isNaN(Number(key)) && !key.startsWith(HASHED)) return key;
  // UTF-16, because UTF-8 replaces all lone surrogates with the same character.
  return HASHED + createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex');
}

/** Default options of a queue that make it skip jobs or change their ids. */
const DROPPING = ['deduplication', 'debounce', 'jobId', 'repeat', 'repeatJobKey', 'parent'];

/** How long completed jobs are kept: `retentionMs`, or the queue's time if longer. Throws ConfigError on a conflict. */
function retentionOf(defaults: object, ageSeconds: number): false | { age: number } {
  const given = defaults as Readonly<Record<string, unknown>>;
  for (const name of DROPPING) {
    if (given[name] !== undefined) refuse(name, 'makes the queue drop events. Remove it');
  }
  const { removeOnComplete: completed, removeOnFail: failed } = given;
  if (failed !== undefined && failed !== false) {
    refuse('removeOnFail', 'removes dead letters. Remove the option, and delete failed jobs yourself');
  }
  if (completed === undefined) return { age: ageSeconds };
  if (completed === false) return false;
  if (isRecord(completed) && typeof completed.age === 'number' && completed.count === undefined) {
    if (completed.age >= ageSeconds) return { age: completed.age };
  }
  return refuse(
    'removeOnComplete',
    `forgets events before \`retentionMs\` is over. Remove it, or use an age of at least ${ageSeconds} and no count`,
  );
}

function refuse(name: string, why: string): never {
  throw new ConfigError(`\`queue.defaultJobOptions.${name}\` ${why}.`);
}
