import { InvalidEventError } from '../../errors.js';
import { isNonRetryable } from '../../handle/non-retryable.js';
import { checkOptions } from '../../internal/check-options.js';
import { engineError } from '../engine-error.js';
import { readJob } from '../job.js';
import { createRunJob, type Delay, type EventWorkerOptions, WORKER_OPTIONS } from '../run-job.js';
import { createWorkerCheck } from './worker-check.js';

/** The part of BullMQ's `Job` that the worker uses. */
export interface BullmqJobLike {
  readonly data: unknown;
  /** Called for a job whose event must wait (`finality`). */
  moveToDelayed?(timestamp: number, token?: string): Promise<unknown>;
}

/** BullMQ recognizes by this error name that a retry is pointless. */
const UNRECOVERABLE = 'UnrecoverableError';
/** BullMQ recognizes by this error name that the job was delayed, which uses up no attempt. */
const DELAYED = 'DelayedError';
/** BullMQ recognizes by this message that the job must wait for the rate limit of its queue. */
const RATE_LIMITED = 'bullmq:rateLimitExceeded';

/**
 * Creates the processor for a BullMQ `Worker` of the queue that `bullmqEnqueue` fills. If the handler fails, the engine
 * retries the job. It keeps the job as failed when the attempts are used up, or at once if the handler throws a
 * NonRetryableError. A job whose data is not an event job fails without a retry, with its issues as `failedReason`.
 * With `finality`, the engine delays the job of an event that must wait, without using up an attempt.
 *
 * It does not deduplicate without `store`: a job that the engine runs again after a crash takes effect again. The options
 * of the `Worker` decide how soon and how often that happens: use {@link bullmqWorkerOptions}, or it emits a warning.
 *
 * @example
 * ```ts
 * import { Worker } from 'bullmq';
 * import { bullmqWorker, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
 *
 * const processor = bullmqWorker({ onEvent: async (event) => console.log(event.event, event.id) });
 * const connection = { host: 'localhost' };
 * const worker = new Worker('events', processor, { ...bullmqWorkerOptions, connection, concurrency: 10 });
 * worker.on('error', console.error);
 * ```
 * @param options The handler and how it runs; times are in milliseconds.
 * @returns The processor. It rejects with a ConfigError, and completes no job, if the options of its `Worker` leave jobs
 * with a dead worker or run them twice.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function bullmqWorker<Tx = undefined>(
  options: EventWorkerOptions<Tx>,
): (job: BullmqJobLike, token?: string) => Promise<void> {
  checkOptions('bullmqWorker', options, WORKER_OPTIONS);
  const { runJob, handlerTimeoutMs } = createRunJob(options);
  const checkWorker = createWorkerCheck(handlerTimeoutMs, options.finality !== undefined);
  return async (given, token) => {
    checkWorker(given);
    const { data } = given;
    if (Object(data).discarded === true) return; // by bullmqDeadLetters
    let delay: Delay | undefined;
    try {
      delay = await runJob(readJob(data));
    } catch (error) {
      const failure = engineError(error, { cause: error });
      const cause: unknown = Object(error).cause;
      const isForeign = error instanceof InvalidEventError;
      if (isForeign || isUnrecoverable(cause) || isNonRetryable(cause)) failure.name = UNRECOVERABLE;
      // BullMQ recognizes the error of Worker.RateLimitError() only by its message.
      if (cause instanceof Error && cause.message === RATE_LIMITED) failure.message = RATE_LIMITED;
      throw failure;
    }
    if (delay === undefined) return;
    if (given.moveToDelayed === undefined) throw new TypeError('The job has no method `moveToDelayed`.');
    await given.moveToDelayed(Date.now() + delay.delayMs, token);
    throw Object.assign(new Error("The event's block is not final yet."), { name: DELAYED });
  };
}

/** Whether the handler threw BullMQ's UnrecoverableError or an error derived from it. */
function isUnrecoverable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown.name === UNRECOVERABLE) return true;
  for (let type: unknown = thrown.constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    if (type.name === UNRECOVERABLE) return true;
  }
  return false;
}
