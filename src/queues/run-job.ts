import { checkFunction, checkNumber, checkStore, MAX_TIMER_MS } from '../internal/check-options.js';
import { stopwatch } from '../internal/deadline.js';
import type { OnEvent } from '../receiver/options.js';
import { createHandleOnce } from '../receiver/run-once.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { EventJob } from './job.js';

/** Options that `bullmqWorker` and `pgBossWorker` share. */
export interface EventWorkerOptions<Tx = undefined> {
  /** Handles one event, like the option of the receiver: `router.dispatch` works here too. */
  readonly onEvent: OnEvent<NoInfer<Tx>>;
  /**
   * Store that deduplicates: a job that the engine runs twice, for example after a crash, takes effect once. With a lease
   * store, the tries of a job must span more than `leaseMs`. (Default: none; the handler must tolerate repeated runs. One
   * process never runs a key twice at once: while a handler that timed out still runs, further tries of its job fail as in
   * progress, for 60 s or twice `handlerTimeoutMs`, whichever is longer. Other processes can run it.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** How long one handler may take, in ms; never longer than 0.9 of `store.leaseMs`. (Default: 30 000.) */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * Called with errors that do not fail the job: an event that its route skipped because it does not decode, a store that
   * fails after the timeout. Errors that fail a job go to the engine. (Default: none.)
   */
  readonly onError?: ((error: unknown, context: { readonly idempotencyKey: string }) => unknown) | undefined;
}

export const WORKER_OPTIONS = [
  'onEvent',
  'store',
  'handlerTimeoutMs',
  'onError',
] as const satisfies (keyof EventWorkerOptions)[];

export const DEFAULT_HANDLER_TIMEOUT_MS = 30_000;
/** Without a store, a handler blocks other runs of its key in this process for at least this long. */
const HOLD_MS = 60_000;

/**
 * Returns the function that runs the handler for a job, and the resolved timeout. The function rejects if the event did not
 * take effect, so that the engine tries again. Throws ConfigError for an invalid option.
 */
export function createRunJob<Tx>(options: EventWorkerOptions<Tx>): {
  readonly runJob: (job: EventJob) => Promise<void>;
  readonly handlerTimeoutMs: number;
} {
  const { onEvent, store, handlerTimeoutMs = DEFAULT_HANDLER_TIMEOUT_MS, onError } = options;
  checkFunction('onEvent', onEvent);
  checkStore(store);
  if (onError !== undefined) checkFunction('onError', onError);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const keys = store || (runningKeys(Math.max(HOLD_MS, 2 * handlerTimeoutMs)) as IdempotencyStore<never>);
  const handleOnce = createHandleOnce<Tx>(
    { onEvent, store: keys, handlerTimeoutMs },
    {
      // The engine waits for its jobs itself.
      hold() {},
      wait() {},
      report(error, { idempotencyKey = '' }) {
        // There is nowhere left to report an error of `onError` itself.
        (async () => onError?.(error, { idempotencyKey }))().catch(() => {});
      },
    },
  );
  async function runJob({ event, idempotencyKey, timestamp, source }: EventJob): Promise<void> {
    const { error } = await handleOnce({ status: 'event', event }, { idempotencyKey, timestamp, source });
    if (error !== undefined) throw error;
  }
  return { runJob, handlerTimeoutMs };
}

/**
 * Replaces the store of a worker that has none. It forgets a key when its run ends; until then no other run of that key
 * starts in this process, even if the handler timed out and the engine tries its job again. After `holdMs` it gives up on
 * the handler.
 */
function runningKeys(holdMs: number): IdempotencyStore<undefined> {
  const running = new Map<string, () => number>();
  return {
    async once(key, run) {
      const before = running.get(key);
      if (before !== undefined && before() < holdMs) return 'in-progress';
      const elapsedMs = stopwatch();
      running.set(key, elapsedMs);
      try {
        await run(undefined);
        return 'handled';
      } finally {
        if (running.get(key) === elapsedMs) running.delete(key);
      }
    },
  };
}
