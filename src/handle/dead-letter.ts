import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { StoredLetter } from '../stores/store.js';
import { readLetter } from './letter-text.js';

/** The code of an event whose effects may be incomplete. */
export const UNKNOWN = 'ERR_WEBHOOK_OUTCOME_UNKNOWN';

/** When an event whose handler keeps failing becomes a dead letter: once both are reached. */
export interface DeadLetterLimits {
  /** How often its handler has failed. (Default: 8.) */
  readonly afterAttempts?: number | undefined;
  /** Seconds since its first failure, so that a short outage makes no dead letters. (Default: 3600.) */
  readonly afterSeconds?: number | undefined;
}

/** An event whose handler failed for good. The store keeps it until somebody retries or discards it. */
export interface DeadLetter {
  readonly idempotencyKey: string;
  /** As it was received. */
  readonly event: WebhookEvent;
  readonly source?: string | undefined;
  /** How often the handler failed. */
  readonly attempts: number;
  /** Epoch milliseconds; so is the next. */
  readonly firstFailedAt: number;
  readonly lastFailedAt: number;
  /** Code and message of the last error, at most 100 and 1000 characters. */
  readonly code: string;
  readonly message: string;
  /** Whether its handler ended its transaction, so that its effects may be incomplete. Only its key retries it. */
  readonly isUnknown: boolean;
}

/** A letter as a store keeps it. Throws `ERR_WEBHOOK_STORE` for one that cannot be read. */
export function deadLetterOf(stored: StoredLetter): DeadLetter & { readonly item: EventItem } {
  const { letter: _, ...kept } = stored;
  const { idempotencyKey, item } = readLetter(stored);
  return { ...kept, idempotencyKey, event: item.event, item, isUnknown: kept.code === UNKNOWN };
}
