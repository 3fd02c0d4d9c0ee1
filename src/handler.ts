import { withDeadline } from './deadline.js';
import type { EventItem } from './delivery.js';
import { isWebhookError, WebhookError } from './errors.js';
import { memoryStore } from './idempotency.js';
import { MAX_TIMER_MS } from './limits.js';
import type { EventContext, resolveReceiverOptions } from './options.js';
import type { EventOutcome } from './outcome.js';
import { traceHandler } from './tracing.js';

/** What a handler is told. A class, so that `signal` can be made late without each object having a shape of its own. */
class Context<Tx> implements EventContext<Tx> {
  readonly #signal: () => AbortSignal;
  readonly idempotencyKey: string;
  readonly timestamp: string;
  readonly tx: Tx;

  constructor(signal: () => AbortSignal, idempotencyKey: string, timestamp: string, tx: Tx) {
    this.#signal = signal;
    this.idempotencyKey = idempotencyKey;
    this.timestamp = timestamp;
    this.tx = tx;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }
}

/** Runs user code for at most `ms` milliseconds, then aborts its signal and rejects. */
export async function runBounded(ms: number, work: (signal: () => AbortSignal) => unknown): Promise<void> {
  let reason: WebhookError | undefined;
  let controller: AbortController | undefined;
  // Made when somebody asks for it: it costs more than all else around a handler.
  const running = work(() => {
    controller ??= new AbortController();
    if (reason) controller.abort(reason);
    return controller.signal;
  });
  // What is no promise is done already: there is nothing left to wait for.
  if ((typeof running !== 'object' && typeof running !== 'function') || running === null) return;
  await withDeadline(Promise.resolve(running), ms, () => {
    const message = `It took more than ${ms} ms (handlerTimeoutMs, leaseMs), so its signal was aborted.`;
    reason = new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', message);
    controller?.abort(reason);
    return reason;
  });
}

/** What a failure of user code is reported as. */
export function handlerError(cause: unknown): WebhookError {
  return as('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event is expected again.', cause);
}

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, idempotencyKey: string, timestamp: string) => Promise<EventOutcome>;

export function createHandleOnce<Tx>(
  options: Pick<ReturnType<typeof resolveReceiverOptions<Tx>>, 'onEvent' | 'store' | 'handlerTimeoutMs'>,
): HandleOnce {
  const { onEvent } = options;
  const store = options.store ?? memoryStore();
  // A handler that outlives its lease would be taken over from while it runs.
  const leaseMs = (store ? store.leaseMs : 0) || Number.POSITIVE_INFINITY;
  const handlerTimeoutMs = Math.min(options.handlerTimeoutMs, 0.9 * leaseMs);
  const storeTimeoutMs = Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS);

  return async (item, idempotencyKey, timestamp) => {
    let failure: WebhookError | undefined;
    let succeeded = false;
    let late: Error | undefined;
    const run = async (tx: Tx | undefined) => {
      // The store took too long: the event was answered as failed, and is expected again.
      if (late) throw late;
      try {
        await traceHandler(
          () =>
            runBounded(handlerTimeoutMs, (signal) =>
              onEvent?.(item.event, new Context(signal, idempotencyKey, timestamp, tx as Tx)),
            ),
          { events: [item.event] },
        );
        succeeded = true;
      } catch (cause) {
        failure = handlerError(cause);
        throw cause;
      }
    };
    try {
      if (!store) {
        await run(undefined);
        return { status: 'handled', item, idempotencyKey };
      }
      // The run has its own bound; what is left is the store's, for its work and for waiting on another run.
      const status = await withDeadline(store.once(idempotencyKey, run), storeTimeoutMs, () => {
        late = new Error('The store did not answer in time.');
        return late;
      });
      if (status === 'handled' && !succeeded) throw new Error('The store said handled before it was.');
      return { status, item, idempotencyKey, error: status === 'in-progress' ? inProgress() : undefined };
    } catch (cause) {
      const error = failure ?? as('ERR_WEBHOOK_STORE', 'The store failed, so the event is expected again.', cause);
      return { status: 'failed', item, idempotencyKey, error };
    }
  };
}

function inProgress(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_IN_PROGRESS', 'The event is being handled. Send it again later.');
}

/** An error as one of this code, unless it is that, or a kind of that, already. */
function as(code: 'ERR_WEBHOOK_HANDLER' | 'ERR_WEBHOOK_STORE', message: string, cause: unknown): WebhookError {
  return isWebhookError(cause) && cause.code.startsWith(code) ? cause : new WebhookError(code, message, { cause });
}
