import { type About, type Afterwards, Attempt, type Ground } from './attempt.js';
import type { EventItem } from './delivery.js';
import type { IdempotencyStore } from './idempotency.js';
import { MAX_TIMER_MS } from './limits.js';
import type { resolveReceiverOptions } from './options.js';
import type { EventOutcome } from './outcome.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;

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
  const ground: Ground<Tx> = { onEvent, store, handlerTimeoutMs, storeTimeoutMs, afterwards };

  return (item, about) => new Promise((resolve) => new Attempt(item, about, ground, resolve).start());
}
