import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { isApplied } from '../stores/log-store.js';
import type { StoredLetter } from '../stores/store.js';
import { readLetter } from './letter-text.js';

/** The code of an event whose effects may be incomplete. */
export const UNKNOWN = 'ERR_WEBHOOK_OUTCOME_UNKNOWN';

/** Limits after which an event whose handler keeps failing becomes a dead letter. Both must be reached. */
export interface DeadLetterLimits {
  /** Number of times that the handler failed. (Default: 8.) */
  readonly afterAttempts?: number | undefined;
  /** Seconds since the first failure, so that a short outage creates no dead letters. (Default: 3600.) */
  readonly afterSeconds?: number | undefined;
}

/** An event whose handler failed for good. The store keeps the event until you retry or discard it. */
export interface DeadLetter {
  readonly idempotencyKey: string;
  /** The event as received. */
  readonly event: WebhookEvent;
  readonly source?: string | undefined;
  /** How often the handler failed. */
  readonly attempts: number;
  /** Epoch milliseconds, like `lastFailedAt`. */
  readonly firstFailedAt: number;
  readonly lastFailedAt: number;
  /** Code and message of the last error, at most 100 and 1000 characters. */
  readonly code: string;
  readonly message: string;
  /** Whether the handler ended its transaction, so its effects may be incomplete. Only a retry by key includes it. */
  readonly isUnknown: boolean;
  /** With `reorgs`: the event took effect, and undoing it failed. Otherwise its effect is missing. */
  readonly isReversal?: true | undefined;
}

/** Reads a letter as a store keeps it under `key`. Throws `ERR_WEBHOOK_STORE` if the letter cannot be read. */
export function deadLetterOf(stored: StoredLetter, key: string): DeadLetter & { readonly item: EventItem } {
  const { letter: _, transitions, ...kept } = stored;
  const { item, ...letter } = readLetter(stored, key);
  return { ...kept, ...letter, event: item.event, item, ...marksOf(kept.code, transitions) };
}

/** The marks of a letter, by the code of its error and how often its log was applied or reverted. */
export function marksOf(code: string, transitions = 0): Pick<DeadLetter, 'isUnknown' | 'isReversal'> {
  return { isUnknown: code === UNKNOWN, ...(isApplied(transitions) && { isReversal: true as const }) };
}
