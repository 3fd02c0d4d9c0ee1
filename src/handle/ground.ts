import { MAX_TIMER_MS } from '../internal/check-options.js';
import type { IdempotencyStore, LeaseStore, LetterStore, TransactionalStore } from '../stores/store.js';
import type { CountFailures } from './dead-letters.js';
import { type Once, onceWithLeases } from './lease-run.js';
import type { Keeping, LogOf } from './step.js';
import type { Afterwards } from './types.js';

/** Shared by all attempts of a receiver. */
export interface Ground<Tx> extends Keeping {
  readonly once: Once<Tx>;
  readonly isTransactional: boolean;
  readonly keysPerRun: number;
  readonly handlerTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly afterwards: Afterwards;
  /** Absent without `deadLetters`. */
  readonly countFailures: CountFailures | undefined;
}

const withoutStore: Once<never> = async (keys, _step, run) => {
  await run(new Map(keys.map((key) => [key, {}])), undefined as never);
  return new Map(keys.map((key) => [key, 'handled']));
};

export function isTransactional<Tx>(store: IdempotencyStore<Tx>): store is TransactionalStore<Tx> {
  return typeof (store as { readonly once?: unknown }).once === 'function';
}

/** The part of a store that keeps dead letters; undefined if there is none. */
export function lettersOf(store: { readonly letters?: LetterStore | undefined } | false | undefined) {
  return store ? store.letters : undefined;
}

/** Returns a function that runs work once, with a store of either kind or without a store. */
export function onceOf<Tx>(store: IdempotencyStore<Tx> | false): Once<Tx> {
  if (!store) return withoutStore as Once<unknown> as Once<Tx>;
  // Called as a method: a store may be an instance of a class.
  if (isTransactional(store)) return (...call) => store.once(...call);
  return onceWithLeases(store as LeaseStore) as Once<unknown> as Once<Tx>;
}

export function groundOf<Tx>(
  {
    store,
    handlerTimeoutMs: mostMs,
  }: { readonly store: IdempotencyStore<Tx> | false; readonly handlerTimeoutMs: number },
  afterwards: Afterwards,
  countFailures?: CountFailures,
  logOf?: LogOf,
): Ground<Tx> {
  const transactional = store && isTransactional(store) ? store : undefined;
  const { leaseMs } = (store || {}) as { readonly leaseMs?: number };
  // If a handler outlived its lease, another process could take over the event meanwhile.
  const handlerTimeoutMs = Math.min(mostMs, 0.9 * (leaseMs || Number.POSITIVE_INFINITY));
  return {
    once: onceOf(store),
    isTransactional: transactional !== undefined,
    keysPerRun: Math.floor(transactional?.keysPerRun ?? Number.POSITIVE_INFINITY),
    handlerTimeoutMs,
    storeTimeoutMs: Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS),
    afterwards,
    countFailures,
    logOf,
    keepsRecords: (store || undefined)?.records !== undefined,
  };
}
