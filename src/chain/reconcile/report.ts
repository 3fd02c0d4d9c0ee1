import type { WebhookEvent } from '../../events/types.js';

/** What became of an event. Only `missing`, `waiting` and `failed` events have not taken effect. */
export type ReconcileStatus =
  /** Had taken effect before, or is a dead letter of the receiver. */
  | 'present'
  /** Had not, and was handled now. */
  | 'repaired'
  /** Stored by the receiver's `enqueue`, which does not say whether it was there already. */
  | 'stored'
  /** Acknowledged without handling, because its block is no longer on the chain; or no longer in the source when it was retried. */
  | 'dropped'
  /** In progress elsewhere, or not final yet for the receiver's `finality`. */
  | 'waiting'
  /** The handler, or the store, failed; or the receiver did not accept the event. */
  | 'failed'
  /** Has not taken effect, and was only looked at (`handle: false`). */
  | 'missing';

/** An event that did not take effect. */
export interface ReconcileEntry {
  /** Number of its block, or its place in another source. */
  readonly position: number;
  readonly idempotencyKey: string;
  readonly status: 'missing' | 'waiting' | 'failed';
  readonly event: WebhookEvent;
  readonly error?: Error | undefined;
}

/** Why a run ended early. */
export type StopReason =
  /** The option `signal`. */
  | 'aborted'
  /** Another process has moved the cursor. */
  | 'superseded'
  /** The source failed several times in a row. */
  | 'source'
  /** The cursor could not be read or written. */
  | 'cursor'
  /** The receiver is overloaded or draining, or its store or queue failed. */
  | 'busy'
  /** The receiver refused the delivery. */
  | 'refused'
  /** More events failed than the retry list takes. */
  | 'retry-list-full'
  /** A ConfigError, which `reconcile` then throws. Only subscribers of the diagnostics channel see it. */
  | 'config';

/**
 * The result of `reconcile`; also published on the diagnostics channel `event-webhook-receiver:reconcile`, unless `handle` is
 * false.
 */
export interface ReconcileReport {
  /** Name of the source. */
  readonly source: string;
  readonly chainId?: number | undefined;
  /** The first position of this run, retries aside. */
  readonly from: number;
  /** The last position of which every event has taken effect or is on the retry list: the next run starts after it. */
  readonly to: number;
  /** The last position to read; `final - to` is how far the cursor lags. Undefined if the source did not answer. */
  readonly final?: number | undefined;
  /** The last position there is, if the source can tell. */
  readonly head?: number | undefined;
  /** Events read, those retried included. Each is counted in exactly one of the next seven. */
  readonly found: number;
  readonly present: number;
  readonly repaired: number;
  readonly stored: number;
  readonly dropped: number;
  readonly waiting: number;
  readonly failed: number;
  readonly missing: number;
  /** Number of events on the retry list: they are tried first in the next run. */
  readonly left: number;
  /** The first 1000 events that did not take effect. */
  readonly entries: readonly ReconcileEntry[];
  /**
   * Positions that may have other events: no node could prove that there are none. The last of 1000 ranges also covers proven
   * positions.
   */
  readonly unproven?: readonly { readonly from: number; readonly to: number }[] | undefined;
  /** Why the run ended before `final`. */
  readonly stopped?: { readonly reason: StopReason; readonly error?: Error | undefined } | undefined;
}

const MOST_ENTRIES = 1000;

/** Counts what became of events. */
export class Tally {
  readonly #counts = { found: 0, present: 0, repaired: 0, stored: 0, dropped: 0, waiting: 0, failed: 0, missing: 0 };
  readonly #entries: ReconcileEntry[] = [];
  readonly #unproven: { from: number; to: number }[] = [];

  count(status: ReconcileStatus): void {
    this.#counts.found++;
    this.#counts[status]++;
  }

  add(entry: ReconcileEntry): void {
    if (this.#entries.length < MOST_ENTRIES) this.#entries.push(entry);
  }

  addUnproven(position: number): void {
    const last = this.#unproven.at(-1);
    if (last && (position === last.to + 1 || this.#unproven.length === MOST_ENTRIES)) last.to = position;
    else this.#unproven.push({ from: position, to: position });
  }

  get unproven(): ReconcileReport['unproven'] {
    return this.#unproven.length > 0 ? structuredClone(this.#unproven) : undefined;
  }

  get counts() {
    return { ...this.#counts };
  }

  get entries(): readonly ReconcileEntry[] {
    return [...this.#entries];
  }
}

/** Ends a run early. */
export class Stop extends Error {
  constructor(
    readonly reason: StopReason,
    readonly error?: Error,
  ) {
    super(reason);
  }
}

/** Anything that was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('A value that is not an error was thrown.');
}
