import { withDeadline } from './deadline.js';
import type { DeliveryItem, EventItem } from './delivery.js';
import { isWebhookError, WebhookError } from './errors.js';
import { memoryStore } from './idempotency.js';
import type { resolveReceiverOptions } from './options.js';

/** What became of one item of a delivery. With `error`, it was not acknowledged and is expected again. */
export interface EventOutcome {
  /**
   * `handled`: the handler resolved. `stored`: the hand-off resolved. `duplicate`: it had taken effect before.
   * `in-progress`: somebody else is at it. `failed`: the handler, the hand-off or the store failed.
   * `unknown` and `invalid`: no event of a kind known here.
   */
  readonly status: 'handled' | 'stored' | 'duplicate' | 'in-progress' | 'failed' | 'unknown' | 'invalid';
  readonly item: DeliveryItem;
  readonly idempotencyKey?: string | undefined;
  readonly error?: WebhookError | undefined;
}

/** Runs user code for at most `ms` milliseconds, then aborts its signal and rejects. */
export async function runBounded(ms: number, work: (signal: AbortSignal) => unknown): Promise<void> {
  const controller = new AbortController();
  const running = (async () => work(controller.signal))();
  await withDeadline(running, ms, () => {
    const message = `It took more than ${ms} ms (handlerTimeoutMs), so its signal was aborted and it counts as failed.`;
    const error = new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', message);
    controller.abort(error);
    return error;
  });
}

/** What a failure of user code is reported as. */
export function handlerError(cause: unknown): WebhookError {
  if (isWebhookError(cause) && cause.code === 'ERR_WEBHOOK_HANDLER_TIMEOUT') return cause;
  return new WebhookError('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event is expected again.', { cause });
}

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, idempotencyKey: string, timestamp: string) => Promise<EventOutcome>;

export function createHandleOnce<Tx>(options: ReturnType<typeof resolveReceiverOptions<Tx>>): HandleOnce {
  const { onEvent, handlerTimeoutMs } = options;
  const store = options.store ?? memoryStore();

  return async (item, idempotencyKey, timestamp) => {
    let failure: WebhookError | undefined;
    let succeeded = false;
    const run = async (tx: Tx | undefined) => {
      try {
        await runBounded(handlerTimeoutMs, (signal) =>
          onEvent?.(item.event, { idempotencyKey, signal, timestamp, tx: tx as Tx }),
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
      const late = () => new Error('The store did not answer in time.');
      const status = await withDeadline(store.once(idempotencyKey, run), 2 * handlerTimeoutMs, late);
      if (status === 'handled' && !succeeded)
        throw new Error('The store said handled, but the handler has not resolved.');
      return { status, item, idempotencyKey, error: status === 'in-progress' ? inProgress() : undefined };
    } catch (cause) {
      const error = failure ?? storeError(cause);
      return { status: 'failed', item, idempotencyKey, error };
    }
  };
}

function inProgress(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_IN_PROGRESS', 'The same event is being handled right now; send it again later.');
}

function storeError(cause: unknown): WebhookError {
  const message = 'The idempotency store failed, so it is not recorded whether the event took effect.';
  return new WebhookError('ERR_WEBHOOK_STORE', message, { cause });
}
