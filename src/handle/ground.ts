import type { IdempotencyStore, LeaseStore, TransactionalStore } from '../stores/store.js';
import type { CountFailures } from './dead-letters.js';
import { type Once, onceWithLeases } from './lease-run.js';
import type { LogOf } from './step.js';
import type { Afterwards } from './types.js';

/** Shared by all attempts of a receiver. */
export interface Ground<Tx> {
  readonly once: Once<Tx>;
  readonly isTransactional: boolean;
  readonly keysPerRun: number;
  readonly handlerTimeoutMs: number;
  readonly afterwards: Afterwards;
  /** Absent without `deadLetters`. */
  readonly countFailures?: CountFailures | undefined;
  /** With `reorgs`. */
  readonly logOf?: LogOf | undefined;
}

const withoutStore: Once<never> = async (keys, _step, run) => {
  await run(new Map(keys.map((key) => [key, {}])), undefined as never);
  return new Map(keys.map((key) => [key, 'handled']));
};

export function isTransactional<Tx>(store: IdempotencyStore<Tx>): store is TransactionalStore<Tx> {
  return typeof (store as { readonly once?: unknown }).once === 'function';
}

/** Returns a function that runs work once, with a store of either kind or without a store. */
export function onceOf<Tx>(store: IdempotencyStore<Tx> | false): Once<Tx> {
  if (!store) return withoutStore as Once<unknown> as Once<Tx>;
  // Called as a method: a store may be an instance of a class.
  if (isTransactional(store)) return (...call) => store.once(...call);
  return onceWithLeases(store as LeaseStore) as Once<unknown> as Once<Tx>;
}

export function groundOf<Tx>(
  store: IdempotencyStore<Tx> | false,
  mostMs: number,
  afterwards: Afterwards,
  more: Pick<Ground<Tx>, 'countFailures' | 'logOf'> = {},
): Ground<Tx> {
  const { leaseMs, keysPerRun = Number.POSITIVE_INFINITY } = (store || {}) as Partial<TransactionalStore<Tx>>;
  return {
    once: onceOf(store),
    isTransactional: store !== false && isTransactional(store),
    keysPerRun: Math.floor(keysPerRun),
    // If a handler outlived its lease, another process could take over the event meanwhile.
    handlerTimeoutMs: Math.min(mostMs, 0.9 * (leaseMs || Number.POSITIVE_INFINITY)),
    afterwards,
    ...more,
  };
}
