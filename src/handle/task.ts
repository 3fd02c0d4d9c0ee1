import type { EventItem } from '../events/parse-delivery.js';
import type { RunOptions } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import type { AboutDelivery } from './context.js';
import type { TimeLimit } from './time-limit.js';

/** Events by their keys. */
export type Items = ReadonlyMap<string, EventItem>;

/** One call of the handler: its events, its transaction and its time limit. */
export interface Call<Tx> {
  readonly fresh: Items;
  readonly tx: Tx;
  readonly fencingToken: bigint | undefined;
  readonly limit: TimeLimit;
  /** Reports an error that does not change the answer, of one key or of all. */
  readonly report: (error: unknown, idempotencyKey?: string) => void;
}

/** The run that a store calls with those of its keys that are fresh. */
export type Run<Tx> = (fresh: unknown, tx: Tx, options?: RunOptions) => Promise<void>;

/** What an attempt is for. */
export interface Task<Tx> {
  readonly items: Items;
  readonly about: AboutDelivery;
  /** Calls the store, and returns its answer for each key in their order. */
  claim(run: Run<Tx>): Promise<unknown>;
  /** Calls the handler. */
  call(call: Call<Tx>): unknown;
}

/** What became of an attempt. */
export interface Attempted {
  readonly outcomes: EventOutcome[];
  /** The events that the handler was called with. */
  readonly tried: Items;
  /** The code of the failure of all of them, if the store has rejected. */
  readonly code?: string | undefined;
}

/** The events of the keys that a store passes to its run; undefined unless they are some of its keys, in their order. */
export function chosenOf(items: Items, fresh: unknown): Items | undefined {
  if (!Array.isArray(fresh) || fresh.length === 0) return undefined;
  const chosen = new Map<string, EventItem>();
  for (const [key, item] of items) if (key === fresh[chosen.size]) chosen.set(key, item);
  return chosen.size === fresh.length ? chosen : undefined;
}
