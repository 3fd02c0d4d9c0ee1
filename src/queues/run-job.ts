import { ConfigError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { asWebhookError } from '../handle/answer.js';
import { attempt } from '../handle/attempt.js';
import { createBefore, type Finality } from '../handle/before.js';
import { createContext } from '../handle/context.js';
import { isDefaultKey } from '../handle/idempotency-key.js';
import { sharedOf } from '../handle/once.js';
import type { Afterwards, OnEvent } from '../handle/types.js';
import { checkFunction, checkNumber, checkStore, MAX_TIMER_MS, optionError } from '../internal/check-options.js';
import { stopwatch } from '../internal/time.js';
import type { OnError } from '../receiver/options.js';
import type { IdempotencyStore, TransactionalStore } from '../stores/store.js';
import type { EventJob } from './job.js';

/** Options that `bullmqWorker` and `pgBossWorker` share. */
export interface EventWorkerOptions<Tx = undefined> {
  /** Handles one event, like the receiver's option; `router.dispatch` works here too. */
  readonly onEvent: OnEvent<NoInfer<Tx>>;
  /**
   * Store that deduplicates: a job that the engine runs twice, for example after a crash, takes effect once. With a lease
   * store, the tries of a job must span more than `leaseMs`. (Default: none; the handler must tolerate repeated runs. One
   * process never runs a key twice at once: while a handler that timed out still runs, further tries of its job fail as in
   * progress, for 60 s or twice `handlerTimeoutMs`, whichever is longer. Other processes can run it.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** How long one handler may take, with the claim of its key, in ms; at most 0.9 of `store.leaseMs`. (Default: 30 000.) */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * Called with errors that do not fail the job: an event that its route skipped because it does not decode, a store or
   * a handler that fails after the timeout, a `finality` whose check fails. Errors that fail a job go to the engine.
   * (Default: none.)
   */
  readonly onError?: OnError | undefined;
  /**
   * Checks whether an event's block is final before the event is handled: `chainFinality` of `./chain`. The engine
   * delays the job of an event that must wait, for as long as necessary and without using up a try. Requires `store`,
   * and a receiver whose `idempotencyKey` is `logIdentity`. (Default: events are handled when their job runs.)
   */
  readonly finality?: Finality | undefined;
}

export const WORKER_OPTIONS = [
  'onEvent',
  'store',
  'handlerTimeoutMs',
  'onError',
  'finality',
] as const satisfies (keyof EventWorkerOptions)[];

export const DEFAULT_HANDLER_TIMEOUT_MS = 30_000;
/** Without a store, a handler blocks other runs of its key in this process for at least this long. */
const HOLD_MS = 60_000;

/** How long to delay a job whose event must wait. Returned, not thrown, because a handler could throw a look-alike. */
export interface Delay {
  readonly delayMs: number;
}

/**
 * Returns the function that runs the handler for a job, and the resolved timeout. The function resolves to a delay if
 * the event must wait, and rejects if the event did not take effect, so that the engine retries the job. Throws
 * ConfigError for an invalid option.
 */
export function createRunJob<Tx>(options: EventWorkerOptions<Tx>): {
  readonly runJob: (job: EventJob) => Promise<Delay | undefined>;
  readonly handlerTimeoutMs: number;
} {
  const { onEvent, store, handlerTimeoutMs = DEFAULT_HANDLER_TIMEOUT_MS, onError, finality } = options;
  checkFunction('onEvent', onEvent);
  checkStore(store);
  if (finality !== undefined && typeof finality?.before !== 'function')
    throw optionError('finality', 'a Finality, such as the result of chainFinality', finality);
  if (finality && !store)
    throw new ConfigError('`finality` needs a `store`, as the job of an event that waits may run twice.');
  if (onError !== undefined) checkFunction('onError', onError);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const keys = store || (runningKeys(Math.max(HOLD_MS, 2 * handlerTimeoutMs)) as IdempotencyStore<never>);
  const afterwards: Afterwards = {
    // The engine waits for its own jobs.
    hold() {},
    deadLetter() {},
    report(error, context) {
      // An error of `onError` cannot be reported anywhere.
      (async () => onError?.(asWebhookError(error), context))().catch(() => {});
    },
  };
  const shared = sharedOf<Tx>(keys, handlerTimeoutMs, afterwards);
  const before = finality && createBefore(finality, shared);

  async function runJob(job: EventJob): Promise<Delay | undefined> {
    const { event, idempotencyKey, timestamp, source, via } = job;
    const about = { timestamp, source, via };
    const item: EventItem = { status: 'event', event };
    if (job.needsFinality && !before) throw new ConfigError(NO_FINALITY);
    if (before) {
      if (isDefaultKey(idempotencyKey, event)) throw new ConfigError(defaultKey());
      const kept = (await before(new Map([[item, idempotencyKey]]), about)).get(item);
      if (kept?.retryAfterMs !== undefined) {
        if (kept.error?.cause !== undefined) afterwards.report(kept.error, { item, idempotencyKey });
        return { delayMs: kept.retryAfterMs };
      }
      if (kept?.error) throw kept.error;
      if (kept) return undefined;
    }
    const { outcomes } = await attempt(shared, {
      items: new Map([[idempotencyKey, item]]),
      about,
      handlerTimeoutMs: shared.handlerTimeoutMs,
      call: (_, about, run) => onEvent(event, createContext(about, run, idempotencyKey)),
    });
    for (const { error } of outcomes) if (error) throw error;
    return undefined;
  }
  return { runJob, handlerTimeoutMs };
}

const NO_FINALITY =
  'The receiver of the job has `finality`, and this worker does not: it would handle the event too early. Give the worker the same `finality` and a `store`.';

function defaultKey(): string {
  return `The job has the receiver's default idempotency key. With \`finality\`, set the receiver's option \`idempotencyKey: (event) => logIdentity(event, { chainId })\`: when a removed block returns, its events arrive again under other ids.`;
}

/**
 * Replaces the store of a worker that has none. It forgets a key when the key's run ends; until then no other run of
 * that key starts in this process, even if the handler timed out and the engine retries the job. After `holdMs` it no
 * longer waits for the handler.
 */
function runningKeys(holdMs: number): TransactionalStore<undefined> {
  const running = new Map<string, () => number>();
  return {
    async once([key = ''], _step, run) {
      const before = running.get(key);
      if (before !== undefined && before() < holdMs) return new Map([[key, 'in-progress']]);
      const elapsedMs = stopwatch();
      running.set(key, elapsedMs);
      try {
        await run(new Map([[key, {}]]), undefined);
        return new Map([[key, 'handled']]);
      } finally {
        if (running.get(key) === elapsedMs) running.delete(key);
      }
    },
  };
}
