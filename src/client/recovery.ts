import type { WebhookError } from '../errors.js';
import type { EventOutcome } from '../receiver/answer.js';
import type { DeliveryLogEntry } from './delivery-log.js';

/** What became of one entry that was fed to the receiver. */
export interface RecoveredEntry {
  /** The entry's id in the log. */
  readonly id: number;
  readonly eventId: string;
  /** As the receiver says. Of these only `handled`, `stored` and `duplicate` have taken effect. */
  readonly status: EventOutcome['status'];
  readonly error?: WebhookError | undefined;
}

/** What `recoverMissed` found and did. Each entry in `found` is counted in one of the others. */
export interface Recovery {
  /** How many entries of the log are undelivered, within `since`. */
  readonly found: number;
  /** The receiver's handler resolved. */
  readonly handled: number;
  /** The receiver's enqueue stored it. */
  readonly stored: number;
  /** It had taken effect before. */
  readonly duplicates: number;
  /** Somebody else is at it. */
  readonly inProgress: number;
  /** The handler, the enqueue or the store failed. */
  readonly failed: number;
  /** It is no event of the shape of spec section 2.2. `onInvalid` of the receiver has seen it. */
  readonly invalid: number;
  /** It is of a kind that this version does not know. */
  readonly unknown: number;
  /** Younger than `minAgeSeconds`. */
  readonly tooYoung: number;
  /** Not tried: the receiver refused before it was their turn, or there were more than `maxEntries`. */
  readonly left: number;
  /** What became of single entries: the first 1000, of which those that took effect make room for those that did not. */
  readonly entries: readonly RecoveredEntry[];
  /**
   * Why it ended early: the receiver is `busy` (503: draining, overloaded, its store down, an event in progress
   * elsewhere), so try again later; or it `refused` a delivery as a whole, as with another secret (403).
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
  'in-progress': 'inProgress',
  failed: 'failed',
  invalid: 'invalid',
  unknown: 'unknown',
} as const;

/** Counts what becomes of the entries. */
export class Tally {
  readonly #entries: RecoveredEntry[] = [];
  readonly #counts = { handled: 0, stored: 0, duplicates: 0, inProgress: 0, failed: 0, invalid: 0, unknown: 0 };
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

/** The oldest of what is added, and how many others there were. Holds no more than twice as many as it keeps. */
export class Oldest {
  #kept: DeliveryLogEntry[] = [];
  readonly #most: number;
  /** How many were added. */
  size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(entry: DeliveryLogEntry): void {
    this.size++;
    if (this.#kept.push(entry) >= 2 * this.#most) this.#kept = this.sorted();
  }

  /** What is kept, oldest first. */
  sorted(): DeliveryLogEntry[] {
    return this.#kept.sort((a, b) => timeOf(a) - timeOf(b) || a.id - b.id).slice(0, this.#most);
  }
}

function timeOf({ createdAt }: DeliveryLogEntry): number {
  return Date.parse(String(createdAt)) || 0;
}
