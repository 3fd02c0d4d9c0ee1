import type { WebhookEvent } from '../../events/types.js';

/** The result for an event. Only `missing`, `waiting` and `failed` events have not taken effect. */
export type ReconcileStatus =
  /** Had already taken effect, or is a dead letter of the receiver. */
  | 'present'
  /** Was missing, and was handled now. */
  | 'repaired'
  /** Stored by the receiver's `enqueue`, which does not report duplicates. */
  | 'stored'
  /** Not handled, because its block is no longer on the chain, or because a retry no longer found it in the source. */
  | 'dropped'
  /** In progress elsewhere, or not final yet for the receiver's `finality`. */
  | 'waiting'
  /** The handler or the store failed, or the receiver refused the event. */
  | 'failed'
  /** Has not taken effect, and was not handled (`handle: false`). */
  | 'missing';

/** An event that did not take effect. */
export interface ReconcileEntry {
  /** Its block number, or its position in another source. */
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
  /** Another process moved the cursor. */
  | 'superseded'
  /** The source failed several times in a row. */
  | 'source'
  /** The cursor could not be read or written. */
  | 'cursor'
  /** The receiver is overloaded or draining, or its store or queue failed. */
  | 'busy'
  /** The receiver refused the delivery. */
  | 'refused'
  /** The retry list is full. */
  | 'retry-list-full'
  /** A ConfigError, which `reconcile` then throws. Only subscribers to the diagnostics channel see it. */
  | 'config';

/**
 * The result of `reconcile`; also published on the diagnostics channel `event-webhook-receiver:reconcile`, unless `handle` is
 * false.
 */
export interface ReconcileReport {
  /** Name of the source. */
  readonly source: string;
  readonly chainId?: number | undefined;
  /** The first position of this run, without retries. */
  readonly from: number;
  /** The last position whose events have all taken effect or are on the retry list. The next run starts after it. */
  readonly to: number;
  /** The last position to read; `final - to` is the lag of the cursor. Undefined if the source did not answer. */
  readonly final?: number | undefined;
  /** The last position in the source, if known. */
  readonly head?: number | undefined;
  /** Events read, including retries. Each is counted in exactly one of the next seven. */
  readonly found: number;
  readonly present: number;
  readonly repaired: number;
  readonly stored: number;
  readonly dropped: number;
  readonly waiting: number;
  readonly failed: number;
  readonly missing: number;
  /** Number of events on the retry list, which the next run tries first. */
  readonly left: number;
  /** The first 1000 events that did not take effect. */
  readonly entries: readonly ReconcileEntry[];
  /**
   * Ranges that may have more events, because no node could prove their absence. The last of 1000 ranges also covers
   * proven positions.
   */
  readonly unproven?: readonly { readonly from: number; readonly to: number }[] | undefined;
  /** Why the run ended before `final`. */
  readonly stopped?: { readonly reason: StopReason; readonly error?: Error | undefined } | undefined;
}

const MOST_ENTRIES = 1000;

/** Counts the results. */
export class Tally {
  readonly counts = { found: 0, present: 0, repaired: 0, stored: 0, dropped: 0, waiting: 0, failed: 0, missing: 0 };
  readonly entries: ReconcileEntry[] = [];
  readonly #unproven: { from: number; to: number }[] = [];

  count(status: ReconcileStatus): void {
    this.counts.found++;
    this.counts[status]++;
  }

  add(entry: ReconcileEntry): void {
    if (this.entries.length < MOST_ENTRIES) this.entries.push(entry);
  }

  addUnproven(position: number): void {
    const last = this.#unproven.at(-1);
    if (last && (position === last.to + 1 || this.#unproven.length === MOST_ENTRIES)) last.to = position;
    else this.#unproven.push({ from: position, to: position });
  }

  get unproven(): ReconcileReport['unproven'] {
    return this.#unproven.length > 0 ? structuredClone(this.#unproven) : undefined;
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
