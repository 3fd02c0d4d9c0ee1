import { MAX_TIMER_MS } from '../internal/check-options.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { HostTime } from './host-time.js';
import type { HandleOptions, ItemContext } from './types.js';

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Gets user code that still runs after its time limit: it occupies a place until it settles. */
  hold(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets a store call that has not settled yet. */
  wait(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets later failures, and events that a route skipped. */
  report(error: unknown, context: ItemContext): void;
}

/** What all attempts of a receiver share. */
export interface Ground<Tx> {
  readonly store: IdempotencyStore<Tx>;
  readonly handlerTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly afterwards: Afterwards;
}

const NO_STORE: IdempotencyStore<never> = {
  once: (_key, run) => run(undefined as never).then(() => 'handled'),
  onceEach: (keys, run) => run(keys, undefined as never).then(() => keys.map(() => 'handled')),
};

export type RunSettings<Tx> = Pick<HandleOptions<Tx>, 'store' | 'handlerTimeoutMs'>;

export function groundOf<Tx>(options: RunSettings<Tx>, afterwards: Afterwards): Ground<Tx> {
  const store = (options.store || NO_STORE) as IdempotencyStore<Tx>;
  // A handler that outlives its lease would be taken over from while it runs.
  const handlerTimeoutMs = Math.min(options.handlerTimeoutMs, 0.9 * (store.leaseMs || Number.POSITIVE_INFINITY));
  return { store, handlerTimeoutMs, storeTimeoutMs: Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS), afterwards };
}
