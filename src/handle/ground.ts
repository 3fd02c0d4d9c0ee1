import { MAX_TIMER_MS } from '../internal/check-options.js';
import type { IdempotencyStore, LeaseStore, LetterStore, TransactionalStore } from '../stores/store.js';
import type { DeadLetter, Letters } from './dead-letters.js';
import type { HostTime } from './host-time.js';
import { type Once, onceWithLeases } from './lease-run.js';
import type { HandleOptions, ItemContext } from './types.js';

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Gets user code that still runs after its time limit: it occupies a place until it settles. */
  hold(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets a store call that has not settled yet. */
  wait(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets later failures, and events that a route skipped. */
  report(error: unknown, context: ItemContext): void;
  /** Gets each new dead letter. */
  deadLetter(letter: DeadLetter): void;
}

/** What all attempts of a receiver share. */
export interface Ground<Tx> {
  readonly once: Once<Tx>;
  readonly isTransactional: boolean;
  readonly keysPerRun: number;
  readonly handlerTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly afterwards: Afterwards;
  /** Counts failures; absent without `deadLetters`. */
  readonly letters: Letters | undefined;
}

const withoutStore: Once<never> = async (keys, _step, run) => {
  await run(new Map(keys.map((key) => [key, {}])), undefined as never);
  return new Map(keys.map((key) => [key, 'handled']));
};

export function isTransactional<Tx>(store: IdempotencyStore<Tx>): store is TransactionalStore<Tx> {
  return typeof (store as { readonly once?: unknown }).once === 'function';
}

/** What keeps the dead letters of a store, if it can. */
export function lettersOf(store: { readonly letters?: LetterStore | undefined } | false | undefined) {
  return store ? store.letters : undefined;
}

/** How to run work once with a store of either kind, or without one. */
export function onceOf<Tx>(store: IdempotencyStore<Tx> | false): Once<Tx> {
  if (!store) return withoutStore as Once<unknown> as Once<Tx>;
  // Called as a method: a store may be an instance of a class.
  if (isTransactional(store)) return (...call) => store.once(...call);
  return onceWithLeases(store as LeaseStore) as Once<unknown> as Once<Tx>;
}

export function groundOf<Tx>(
  { store, handlerTimeoutMs: mostMs }: Pick<HandleOptions<Tx>, 'store' | 'handlerTimeoutMs'>,
  afterwards: Afterwards,
  letters?: Letters,
): Ground<Tx> {
  const transactional = store && isTransactional(store) ? store : undefined;
  const { leaseMs } = (store || {}) as { readonly leaseMs?: number };
  // A handler that outlives its lease would be taken over from while it runs.
  const handlerTimeoutMs = Math.min(mostMs, 0.9 * (leaseMs || Number.POSITIVE_INFINITY));
  return {
    once: onceOf(store),
    isTransactional: transactional !== undefined,
    keysPerRun: Math.floor(transactional?.keysPerRun ?? Number.POSITIVE_INFINITY),
    handlerTimeoutMs,
    storeTimeoutMs: Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS),
    afterwards,
    letters,
  };
}
