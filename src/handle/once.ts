import { WebhookError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import type { KeptLog } from '../stores/log-store.js';
import type { KeyRecord } from '../stores/record-store.js';
import {
  type Claimed,
  DELIVERY,
  type IdempotencyStore,
  type LeaseStore,
  RETRY,
  type Run,
  type RunLimit,
  type Step,
  type StoreWord,
  type TransactionalStore,
} from '../stores/store.js';
import type { Items } from './answer.js';
import type { AboutDelivery } from './context.js';
import type { CountFailures } from './outcome.js';
import type { Afterwards } from './types.js';

// How the receiver asks a store: the step of a delivery, and `once` over a store of either kind.

/** Shared by all attempts of a receiver. */
export interface Shared<Tx> {
  readonly once: Once<Tx>;
  readonly isTransactional: boolean;
  readonly keysPerRun: number;
  readonly handlerTimeoutMs: number;
  readonly afterwards: Afterwards;
  /** Absent without `deadLetters`. */
  readonly countFailures?: CountFailures | undefined;
  readonly stepOf: (items: Items, about: AboutDelivery) => Step;
}

export function sharedOf<Tx>(
  store: IdempotencyStore<Tx> | false,
  mostMs: number,
  afterwards: Afterwards,
  { countFailures, logOf }: Pick<Shared<Tx>, 'countFailures'> & { readonly logOf?: LogOf | undefined } = {},
): Shared<Tx> {
  const { leaseMs, keysPerRun = Number.POSITIVE_INFINITY } = (store || {}) as Partial<TransactionalStore<Tx>>;
  return {
    once: onceOf(store),
    isTransactional: isTransactional(store),
    keysPerRun: Math.floor(keysPerRun),
    // If a handler outlived its lease, another process could take over the event meanwhile.
    handlerTimeoutMs: Math.min(mostMs, 0.9 * (leaseMs || Number.POSITIVE_INFINITY)),
    afterwards,
    countFailures,
    stepOf: store ? (items, about) => stepOf(items, about, logOf) : () => DELIVERY,
  };
}

/** An event as its log is kept until its block is final; undefined if the event has no log. Never throws. */
export type LogOf = (event: WebhookEvent, idempotencyKey: string, source: string | undefined) => KeptLog | undefined;

/** The step of a delivery, or of a retry. With `logOf`, the store keeps the logs of events. */
export function stepOf(items: Items, about: AboutDelivery, logOf?: LogOf): Step {
  // A retry leaves the record of the delivery.
  if (about.retryOf !== undefined) return RETRY;
  const records = new Map<string, KeyRecord>();
  for (const [key, { event }] of items) records.set(key, recordOf(event, about));
  if (!logOf) return { ...DELIVERY, records };
  const logs = new Map<string, KeptLog>();
  for (const [key, { event }] of items) {
    const log = logOf(event, key, about.source);
    if (log) logs.set(key, log);
  }
  return { from: 'free', to: 'applied', records, logs };
}

/** What stores keep about an event beside its key. */
export function recordOf(event: WebhookEvent, { source, via, timestamp }: AboutDelivery): KeyRecord {
  return { source, via, kind: event.event, eventId: event.id, receivedAt: 1000 * Number(timestamp) };
}

/** Claims keys, runs the work for the claimed ones, and records them: `once` of a transactional store. */
export type Once<Tx> = (
  keys: readonly string[],
  step: Step,
  run: Run<Tx>,
  limit: RunLimit,
) => Promise<ReadonlyMap<string, StoreWord>>;

export function isTransactional<Tx>(store: IdempotencyStore<Tx> | false): store is TransactionalStore<Tx> {
  return typeof (store as { readonly once?: unknown }).once === 'function';
}

/** Returns a function that runs work once, with a store of either kind or without a store. */
export function onceOf<Tx>(store: IdempotencyStore<Tx> | false): Once<Tx> {
  if (!store) return withoutStore as Once<unknown> as Once<Tx>;
  // Called as a method: a store may be an instance of a class.
  if (isTransactional(store)) return (...call) => store.once(...call);
  return onceWithLeases(store as LeaseStore) as Once<unknown> as Once<Tx>;
}

const withoutStore: Once<never> = async (keys, _step, run) => {
  await run(new Map(keys.map((key) => [key, {}])), undefined as never);
  return new Map(keys.map((key) => [key, 'handled']));
};

/** Each claim has its own owner, so a run that was taken over neither records nor frees a key. */
function onceWithLeases(store: LeaseStore): Once<undefined> {
  return async (keys, step, run) => {
    const owner = crypto.randomUUID();
    const answers = await store.claim(keys, owner, step);
    const words = new Map<string, StoreWord>();
    const fresh = new Map<string, Claimed>();
    for (const key of keys) {
      const answer = answers.get(key);
      const isClaimed = typeof answer === 'object' && answer !== null;
      if (isClaimed) fresh.set(key, answer);
      words.set(key, isClaimed ? 'handled' : (answer as StoreWord));
    }
    if (fresh.size === 0) return words;
    const claimed = [...fresh.keys()];
    try {
      await run(fresh, undefined);
    } catch (error) {
      // If this fails, the keys are free once their lease is over.
      await store.release(claimed, owner).catch(() => {});
      throw error;
    }
    const recorded = await store.record(claimed, owner, step);
    if (claimed.some((key) => recorded.get(key) !== true)) throw takenOver(store);
    return words;
  };
}

const takenOver = ({ leaseMs }: LeaseStore) =>
  new WebhookError(
    'ERR_WEBHOOK_STORE',
    `Another run has taken over the key, so the event may take effect twice: this run took longer than its lease of ${leaseMs} ms (increase leaseMs), or the store has lost its keys.`,
  );
