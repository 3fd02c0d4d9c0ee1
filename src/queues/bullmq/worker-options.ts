import { ConfigError } from '../../errors.js';
import { isRecord } from '../../internal/guards.js';

/**
 * Options for a BullMQ `Worker` of events, to be spread into its own. By BullMQ's defaults a job becomes a dead letter at
 * the second death of a worker that runs it (`maxStalledCount` 1), a minute after each. With these, it runs again within
 * 45 s of a death as long as another worker is up, and becomes a dead letter at the 101st.
 *
 * @example
 * ```ts
 * import { Worker } from 'bullmq';
 * import { bullmqProcessor, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
 *
 * const processor = bullmqProcessor(async (event) => console.log(event.event, event.id));
 * const worker = new Worker('events', processor, { ...bullmqWorkerOptions, connection: { host: 'localhost' } });
 * worker.on('error', console.error);
 * ```
 */
export const bullmqWorkerOptions: {
  /** How many deaths of its workers a job survives. */
  readonly maxStalledCount: number;
  /** How often workers look for jobs of dead workers, in ms. */
  readonly stalledInterval: number;
  /** How long after its last sign of life a worker is taken for dead, in ms. */
  readonly lockDuration: number;
} = { maxStalledCount: 100, stalledInterval: 5000, lockDuration: 30_000 };

/** Below so many deaths, a bad day of the machines makes dead letters of events that nothing is wrong with. */
const ENOUGH_DEATHS = 10;

/**
 * Looks at the options of the worker that runs a job, where it can be found: BullMQ's types do not show it, and a
 * sandboxed processor does not get it.
 *
 * @throws ConfigError when jobs of dead workers would never run again, or run twice while their worker lives.
 */
export function createWorkerCheck(handlerTimeoutMs: number): (job: object) => void {
  const checked = new WeakSet<object>();
  return (job) => {
    const worker: unknown = Reflect.get(job, 'queue');
    const options: unknown = Object(worker).opts;
    if (!isRecord(options) || checked.has(options)) return;
    const { skipStalledCheck, skipLockRenewal, lockRenewTime, lockDuration, maxStalledCount, maxStartedAttempts } =
      options;
    if (skipStalledCheck === true)
      refuse('skipStalledCheck', 'leave it out, or the jobs of a dead worker stay with it');
    const lockMs = Number(lockDuration);
    if (Number(lockRenewTime) >= lockMs) {
      refuse('lockRenewTime', 'leave it out, or another worker runs a job while its handler still runs');
    }
    if (skipLockRenewal === true && lockMs <= 2 * handlerTimeoutMs) {
      refuse(
        'skipLockRenewal',
        `leave it out, or set lockDuration to more than twice handlerTimeoutMs, ${handlerTimeoutMs} ms`,
      );
    }
    checked.add(options);
    const deaths = Math.min(Number(maxStalledCount), Number(maxStartedAttempts || Number.POSITIVE_INFINITY));
    if (!(deaths < ENOUGH_DEATHS)) return;
    process.emitWarning(
      `A BullMQ Worker makes a dead letter of an event after ${deaths + 1} deaths of its worker (maxStalledCount, maxStartedAttempts). Spread bullmqWorkerOptions into its options.`,
      { code: 'ERR_WEBHOOK_CONFIG' },
    );
  };
}

function refuse(name: string, fix: string): never {
  throw new ConfigError(`Option ${name} of the BullMQ Worker loses or repeats events: ${fix}.`);
}
