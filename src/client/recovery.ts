import type { WebhookError } from '../errors.js';
import type { EventOutcome } from '../handle/answer.js';
import type { DeliveryLogEntry } from './delivery-log.js';

/** The outcome of an entry that was passed to the receiver. */
export interface RecoveredEntry {
  /** The entry's id in the log. */
  readonly id: number;
  readonly eventId: string;
  /** The receiver's outcome. Only `handled`, `stored` and `duplicate` events have taken effect. */
  readonly status: EventOutcome['status'];
  readonly error?: WebhookError | undefined;
}

/** The result of `recoverMissed`. Each entry in `found` is counted in exactly one of the other numbers. */
export interface Recovery {
  /** Undelivered entries since `since`. */
  readonly found: number;
  /** Handled by the receiver's handler. */
  readonly handled: number;
  /** Stored by the receiver's `enqueue`. */
  readonly stored: number;
  /** Not handled: another final block replaced their block (`finality`). */
  readonly dropped: number;
  /** Their block is not final yet (`finality`). */
  readonly notFinal: number;
  /** Had already taken effect. */
  readonly duplicates: number;
  /** The handler failed for good: now dead letters of the receiver. */
  readonly deadLettered: number;
  /** In progress elsewhere. */
  readonly inProgress: number;
  /** Failed in the handler, in `enqueue` or in the store. */
  readonly failed: number;
  /** Does not match the event schema (spec section 2.2). The receiver's `onInvalid` received it. */
  readonly invalid: number;
  /** Unknown event type. */
  readonly unknown: number;
  /** Younger than `minAgeSeconds`. */
  readonly tooYoung: number;
  /** Not tried, because recovery stopped early or the log has more than 10 000 such entries. */
  readonly left: number;
  /** Outcomes of up to 1000 entries. Entries that did not take effect replace entries that did. */
  readonly entries: readonly RecoveredEntry[];
  /**
   * Why recovery stopped early: the receiver was `busy` (503: draining, overloaded, store down, an event in progress
   * elsewhere), so retry later; or it `refused` all events of a call.
   */
  readonly stopped?: {
    readonly reason: 'busy' | 'refused';
    readonly status: number;
    readonly error?: WebhookError | undefined;
  };
}

const MOST_ENTRIES = 1000;
const COUNTED = {
  handled: 'handled',
  stored: 'stored',
  duplicate: 'duplicates',
  'dead-lettered': 'deadLettered',
  dropped: 'dropped',
  'not-final': 'notFinal',
  'in-progress': 'inProgress',
  failed: 'failed',
  invalid: 'invalid',
  unknown: 'unknown',
} as const;

type Counter = (typeof COUNTED)[keyof typeof COUNTED];

/** Counts the outcomes of entries. */
export class Tally {
  readonly #entries: RecoveredEntry[] = [];
  readonly #counts = Object.fromEntries(Object.values(COUNTED).map((name) => [name, 0])) as Record<Counter, number>;
  #noted = 0;

  note(entry: RecoveredEntry): void {
    this.#counts[COUNTED[entry.status]]++;
    this.#noted++;
    if (this.#entries.length === MOST_ENTRIES) {
      const room = hasTakenEffect(entry) ? -1 : this.#entries.findLastIndex(hasTakenEffect);
      if (room === -1) return;
      this.#entries.splice(room, 1);
    }
    this.#entries.push(entry);
  }

  result(found: number, tooYoung: number, stopped: Recovery['stopped']): Recovery {
    const left = found - tooYoung - this.#noted;
    return { found, ...this.#counts, tooYoung, left, entries: this.#entries, ...(stopped && { stopped }) };
  }
}

function hasTakenEffect({ status }: RecoveredEntry): boolean {
  return status === 'handled' || status === 'stored' || status === 'duplicate';
}

/** Entries that are recovered in one call. Bounds memory. */
const MOST_RECOVERED = 10_000;

/** Keeps the oldest entries, in memory for at most twice as many, and counts all. */
export class Oldest {
  #kept: DeliveryLogEntry[] = [];
  /** Number of entries added. */
  size = 0;

  add(entry: DeliveryLogEntry): void {
    this.size++;
    if (this.#kept.push(entry) >= 2 * MOST_RECOVERED) this.#kept = this.sorted();
  }

  /** The kept entries, oldest first. */
  sorted(): DeliveryLogEntry[] {
    return this.#kept.sort((a, b) => timeOf(a) - timeOf(b) || a.id - b.id).slice(0, MOST_RECOVERED);
  }
}

function timeOf({ createdAt }: DeliveryLogEntry): number {
  return Date.parse(String(createdAt)) || 0;
}
