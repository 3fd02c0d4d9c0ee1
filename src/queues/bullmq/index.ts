import { ConfigError } from '../../errors.js';
import { isRecord } from '../../internal/guards.js';
import type { ReceiverOptions } from '../../receiver/options.js';
import {
  bullmqJobId,
  createRunJob,
  type EnqueueOptions,
  engineError,
  type JobData,
  type JobOptions,
  jobsOf,
  type OnEvent,
  readJob,
  resolveEnqueueOptions,
  storableJob,
} from '../job.js';
import { createWorkerCheck } from './worker-options.js';

export type { EnqueueOptions, EventJob, JobData, JobOptions, OnEvent } from '../job.js';
export { bullmqWorkerOptions } from './worker-options.js';

/** What is used of BullMQ's `Queue`, on Redis or on Postgres. */
export interface BullmqQueueLike {
  readonly defaultJobOptions?: object | undefined;
  addBulk(jobs: BullmqJobInsert[]): Promise<readonly { readonly id?: string | undefined }[]>;
}

/** A job as it is added. */
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

/** What is used of BullMQ's `Job`. */
export interface BullmqJobLike {
  readonly data: unknown;
}

/** The error by whose name BullMQ knows that trying again is of no use. */
const UNRECOVERABLE = 'UnrecoverableError';
/** The message by which BullMQ knows that the job is to wait until its queue's rate allows it. */
const RATE_LIMITED = 'bullmq:rateLimitExceeded';

/**
 * Creates a `enqueue` that stores the events of a delivery in a BullMQ queue: one `addBulk` a delivery, one job an event,
 * whose id comes from the idempotency key, so that an event that is delivered again is not added again for as long as
 * its job is kept. It resolves when the engine has stored every event. Failed jobs are kept: they are the dead letters.
 *
 * It does not check how durable the engine is: a Redis that does not write each command to disk (`appendfsync always`)
 * can forget what it has acknowledged. Give the queue to events alone: another producer's `removeOnComplete` would
 * remove their jobs too.
 *
 * @example
 * ```ts
 * import { Queue } from 'bullmq';
 * import { createReceiver } from 'event-webhook-receiver';
 * import { bullmqEnqueue } from 'event-webhook-receiver/queues/bullmq';
 *
 * const queue = new Queue('events', { connection: { host: 'localhost' } });
 * const receiver = createReceiver({ secret: 'whsec-test', toleranceSeconds: 300, enqueue: bullmqEnqueue(queue) });
 * ```
 * @param queue Your `Queue`, on Redis or, with `createPostgresBackend`, on Postgres.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense, or the queue's `defaultJobOptions` would drop
 * jobs or forget them too early.
 */
export function bullmqEnqueue(
  queue: BullmqQueueLike,
  options: EnqueueOptions = {},
): NonNullable<ReceiverOptions['enqueue']> {
  if (typeof queue?.addBulk !== 'function') throw new ConfigError('bullmqEnqueue needs a Queue of BullMQ.');
  const { attempts, backoffMs, retentionMs } = resolveEnqueueOptions(options);
  const removeOnComplete = retentionOf(queue.defaultJobOptions ?? {}, Math.ceil(retentionMs / 1000));
  const opts = { attempts, backoff: { type: 'exponential', delay: backoffMs }, removeOnComplete };

  return async (events, context) => {
    if (events.length === 0) return;
    const jobs = jobsOf(events, context).map<BullmqJobInsert>((job) => ({
      name: job.event.event,
      data: storableJob(job),
      opts: { ...opts, jobId: bullmqJobId(job.idempotencyKey), removeOnFail: false },
    }));
    const added = await queue.addBulk(jobs);
    // An engine that keeps another job in the place of this one answers with the other's id.
    const lost = jobs.filter((job, index) => added[index]?.id !== job.opts.jobId);
    if (lost.length === 0) return;
    throw new Error(
      `BullMQ did not store ${lost.length} of ${jobs.length} events. Is the queue given to events alone?`,
    );
  };
}

/** Default options of a queue by which some jobs would not be added, or under another id. */
const DROPPING = ['deduplication', 'debounce', 'jobId', 'repeat', 'repeatJobKey', 'parent'];

/** For how long completed jobs are kept: ours, or the queue's where that is longer. Throws ConfigError on a conflict. */
function retentionOf(defaults: object, ageSeconds: number): false | { age: number } {
  const given = defaults as Readonly<Record<string, unknown>>;
  for (const name of DROPPING) {
    if (given[name] !== undefined) refuse(name, 'with it the queue drops events: leave it out');
  }
  const { removeOnComplete: completed, removeOnFail: failed } = given;
  if (failed !== undefined && failed !== false) {
    refuse('removeOnFail', 'failed jobs are the dead letters: leave it out and remove them yourself');
  }
  if (completed === undefined) return { age: ageSeconds };
  if (completed === false) return false;
  if (isRecord(completed) && typeof completed.age === 'number' && completed.count === undefined) {
    if (completed.age >= ageSeconds) return { age: completed.age };
  }
  return refuse(
    'removeOnComplete',
    `an event is known for as long as its job is kept: leave it out, or give an age of at least ${ageSeconds} (retentionMs) and no count`,
  );
}

function refuse(name: string, fix: string): never {
  throw new ConfigError(`The queue's defaultJobOptions.${name} conflicts with the enqueue: ${fix}.`);
}

/**
 * Creates the processor for a BullMQ `Worker` of the queue that `bullmqEnqueue` fills. A job whose handler fails is tried
 * again by the engine, and is kept among the failed jobs when its attempts are used up. A job whose data is no event
 * job is not tried again and kept there too, with its issues as `failedReason`.
 *
 * Without `store`, a job that the engine runs again after a crash takes effect again. How often and how soon that is, the
 * `Worker` decides: give it {@link bullmqWorkerOptions}, or it warns.
 *
 * @example
 * ```ts
 * import { Worker } from 'bullmq';
 * import { bullmqProcessor, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
 *
 * const processor = bullmqProcessor(async (event) => console.log(event.event, event.id));
 * const connection = { host: 'localhost' };
 * const worker = new Worker('events', processor, { ...bullmqWorkerOptions, connection, concurrency: 10 });
 * worker.on('error', console.error);
 * ```
 * @param onEvent Handles one event, as the receiver's option of that name: `router.dispatch` is one.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option makes no sense. The processor itself rejects with one, and takes
 * nothing as done, for a `Worker` whose options leave jobs with a dead worker or run them twice.
 */
export function bullmqProcessor<Tx = undefined>(
  onEvent: OnEvent<NoInfer<Tx>>,
  options: JobOptions<Tx> = {},
): (job: BullmqJobLike) => Promise<void> {
  const run = createRunJob(onEvent, options);
  const checkWorker = createWorkerCheck(options.handlerTimeoutMs ?? 30_000);
  return async (given) => {
    checkWorker(given);
    const { data } = given;
    const job = orUnrecoverable(() => readJob(data));
    try {
      await run(job);
    } catch (error) {
      const failure = engineError(error, { cause: error });
      const cause: unknown = Object(error).cause;
      if (isUnrecoverable(cause)) failure.name = UNRECOVERABLE;
      // What Worker.RateLimitError() gives is known by its message alone.
      if (cause instanceof Error && cause.message === RATE_LIMITED) failure.message = RATE_LIMITED;
      throw failure;
    }
  };
}

/** Whether it is BullMQ's UnrecoverableError, the handler's way to say that trying again is of no use, or one derived from it. */
function isUnrecoverable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown.name === UNRECOVERABLE) return true;
  for (let type: unknown = thrown.constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    if (type.name === UNRECOVERABLE) return true;
  }
  return false;
}

function orUnrecoverable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw Object.assign(engineError(error, { cause: error }), { name: UNRECOVERABLE });
  }
}
