import { Context } from './context.js';
import type { EventItem } from './delivery.js';
import { WebhookError } from './errors.js';
import type { IdempotencyStore, RunOptions } from './idempotency.js';
import { MAX_TIMER_MS } from './limits.js';
import type { ErrorContext, EventContext, resolveReceiverOptions } from './options.js';
import type { EventOutcome } from './outcome.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;
export type About = Pick<EventContext, 'idempotencyKey' | 'source' | 'timestamp'>;

/** Takes care of what goes on after an event was answered. */
export interface Afterwards {
  /** User code whose time is up, and which still runs: it takes up a place until it settles. */
  hold(settled: Promise<unknown>): void;
  /** A store that has not settled yet. */
  wait(settled: Promise<unknown>): void;
  /** What goes wrong meanwhile, and what a route passed over. */
  report(error: unknown, context: ErrorContext): void;
}

const NO_STORE: IdempotencyStore<never> = {
  once: (_key, run) => run(undefined as never).then(() => 'handled'),
};

export function createHandleOnce<Tx>(
  options: Pick<ReturnType<typeof resolveReceiverOptions<Tx>>, 'onEvent' | 'store' | 'handlerTimeoutMs'>,
  afterwards: Afterwards,
): HandleOnce {
  const { onEvent } = options;
  const store = (options.store || NO_STORE) as IdempotencyStore<Tx>;
  // A handler that outlives its lease would be taken over from while it runs.
  const handlerTimeoutMs = Math.min(options.handlerTimeoutMs, 0.9 * (store.leaseMs || Number.POSITIVE_INFINITY));
  const storeTimeoutMs = Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS);

  return (item, about) =>
    new Promise((resolve) => {
      const { idempotencyKey } = about;
      const report = (error: unknown) => afterwards.report(error, { item, idempotencyKey });
      let phase: 'claiming' | 'given up' | 'running' | 'succeeded' | 'failed' = 'claiming';
      let isMisused = false;
      let isAnswered = false;
      let failure: WebhookError | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;

      function answer(status: EventOutcome['status'], error?: WebhookError): void {
        clearTimeout(timer);
        if (!isAnswered) resolve({ status, item, idempotencyKey, error });
        // A handler's own late failure follows from its time-out, which was reported.
        else if (error?.code === 'ERR_WEBHOOK_STORE') report(error);
        isAnswered = true;
      }

      function giveUp(): void {
        if (phase === 'claiming') phase = 'given up';
        else afterwards.wait(settling);
        answer('failed', failure ?? storeError(new Error('The store did not answer in time.')));
      }

      async function run(tx: Tx, runOptions: RunOptions = {}): Promise<void> {
        // The event was answered as failed, or its effect may not be the store's to undo.
        if (phase !== 'claiming') {
          isMisused ||= phase !== 'given up';
          throw new Error('The store called run too late, or more than once.');
        }
        phase = 'running';
        clearTimeout(timer);
        const limit = new TimeLimit(handlerTimeoutMs);
        const context = new Context(about, { tx, fencingToken: runOptions.fencingToken }, limit, report);
        let late: Promise<unknown> | undefined;
        try {
          await traceHandler(
            () =>
              limit.run(
                () => onEvent?.(item.event, context),
                (settled) => {
                  late = settled;
                },
              ),
            { events: [item.event] },
          );
          phase = 'succeeded';
        } catch (cause) {
          const error = limit.error && cause === limit.error ? limit.error : handlerError(cause);
          failure = error;
          if (late === undefined) {
            phase = 'failed';
            throw cause;
          }
          // Its store is waited for from then on: first, so that nothing seems idle in between.
          const settled = () => afterwards.wait(settling);
          late.then(settled, settled);
          afterwards.hold(late);
          answer('failed', error);
          runOptions.onTimeout?.(error);
          // The key stays held until the handler settles, or for as long as the store holds it.
          await late;
          failure = undefined;
          phase = 'succeeded';
        } finally {
          if (!isAnswered) timer = setTimeout(giveUp, storeTimeoutMs);
        }
      }

      async function settle(): Promise<void> {
        try {
          const word: unknown = await store.once(idempotencyKey, run);
          const isRun = phase !== 'claiming';
          if (phase === 'given up') return;
          if (word === 'handled' && phase === 'succeeded' && !isMisused) answer('handled');
          else if (word === 'duplicate' && (!isRun || phase === 'succeeded') && !isMisused) answer('duplicate');
          else if (word === 'in-progress' && !failure) answer('in-progress', inProgress());
          else answer('failed', storeError(new Error(WRONG_WORD, { cause: failure })));
        } catch (cause) {
          if (phase !== 'given up') answer('failed', failure && !isMisused ? failure : storeError(cause));
        }
      }

      const settling = settle();
      // A store in memory has called `run` by now.
      if (phase === 'claiming') timer = setTimeout(giveUp, storeTimeoutMs);
    });
}

const WRONG_WORD =
  'The store must answer handled (after its one run has succeeded), duplicate (without a failed run) or in-progress.';

function inProgress(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_IN_PROGRESS', 'The event is being handled. Send it again later.');
}

/** What a failure of user code is reported as, whatever it claims to be. */
export function handlerError(cause: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event is expected again.', { cause });
}

/** A failure of the store: its own words where it has some. */
function storeError(cause: unknown): WebhookError {
  if (WebhookError.made(cause) && cause.code === 'ERR_WEBHOOK_STORE') return cause;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event is expected again.', { cause });
}
