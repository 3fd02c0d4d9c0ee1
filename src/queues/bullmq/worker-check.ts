import { ConfigError } from '../../errors.js';
import { isRecord } from '../../internal/guards.js';

/**
 * Options to spread into those of a BullMQ `Worker` of events. By BullMQ's defaults, a job becomes a dead letter when a
 * worker that runs it dies for the second time (`maxStalledCount` 1), and waits a minute after each death. With these
 * options, the job runs again within 45 s if another worker is up, and becomes a dead letter at the 101st death.
 *
 * @example
 * ```ts
 * import { Worker } from 'bullmq';
 * import { bullmqWorker, bullmqWorkerOptions } from 'event-webhook-receiver/queues/bullmq';
 *
 * const processor = bullmqWorker({ onEvent: async (event) => console.log(event.event, event.id) });
 * const worker = new Worker('events', processor, { ...bullmqWorkerOptions, connection: { host: 'localhost' } });
 * worker.on('error', console.error);
 * ```
 */
export const bullmqWorkerOptions: {
  /** How many worker deaths a job survives. */
  readonly maxStalledCount: number;
  /** How often workers look for jobs of dead workers, in ms. */
  readonly stalledInterval: number;
  /** How long after its last sign of life a worker counts as dead, in ms. */
  readonly lockDuration: number;
} = { maxStalledCount: 100, stalledInterval: 5000, lockDuration: 30_000 };

/** With fewer, a few crashes in a row turn valid events into dead letters. */
const ENOUGH_DEATHS = 10;

/**
 * Checks the options of the worker that runs a job, if visible: BullMQ's types do not expose them, and a sandboxed
 * processor does not receive them.
 *
 * @throws ConfigError if jobs of dead workers would never run again, or run twice while their worker is alive.
 */
export function createWorkerCheck(handlerTimeoutMs: number, hasFinality: boolean): (job: object) => void {
  const checked = new WeakSet<object>();
  return (job) => {
    const worker: unknown = Reflect.get(job, 'queue');
    const options: unknown = Object(worker).opts;
    if (!isRecord(options) || checked.has(options)) return;
    const { skipStalledCheck, skipLockRenewal, lockRenewTime, lockDuration, maxStalledCount, maxStartedAttempts } =
      options;
    if (skipStalledCheck === true) refuse('skipStalledCheck', 'never runs the jobs of a dead worker again. Remove it');
    const lockMs = Number(lockDuration);
    if (Number(lockRenewTime) >= lockMs) {
      refuse('lockRenewTime', 'lets another worker run a job while its handler still runs. Remove it');
    }
    if (skipLockRenewal === true && lockMs <= 2 * handlerTimeoutMs) {
      refuse(
        'skipLockRenewal',
        `lets another worker run a job while its handler still runs. Remove it, or set lockDuration to more than twice handlerTimeoutMs (${handlerTimeoutMs})`,
      );
    }
    if (hasFinality && maxStartedAttempts !== undefined && maxStartedAttempts !== 0) {
      refuse(
        'maxStartedAttempts',
        'counts how often a job waits for `finality`, and makes it a dead letter. Remove it',
      );
    }
    checked.add(options);
    const deaths = Math.min(Number(maxStalledCount), Number(maxStartedAttempts || Number.POSITIVE_INFINITY));
    if (!(deaths < ENOUGH_DEATHS)) return;
    process.emitWarning(
      `A BullMQ Worker makes an event a dead letter after ${deaths + 1} deaths of its worker (maxStalledCount, maxStartedAttempts). Spread bullmqWorkerOptions into its options.`,
      { code: 'ERR_WEBHOOK_CONFIG' },
    );
  };
}

function refuse(name: string, why: string): never {
  throw new ConfigError(`Option \`${name}\` of the BullMQ Worker ${why}.`);
}
