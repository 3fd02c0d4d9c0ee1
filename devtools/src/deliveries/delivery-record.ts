import type { Attempt, HeaderLine } from '../service/attempt.js';

export type { Attempt, HeaderLine };

/** What came of one POST: `accepted` 2xx, `refused` 403, `failed` any other answer or none, `pending` not yet answered. */
export type Verdict = 'accepted' | 'refused' | 'failed' | 'pending';

/** A delivery as the page shows it: its bytes, and every attempt to deliver them. */
export interface DeliveryRecord {
  /** Counts up from '1' in a run. */
  readonly id: string;
  /** Where it came in, or where it is sent to: a path or a URL. */
  readonly target: string;
  /** Which webhook it is of, where a service here has several. */
  readonly webhookId?: number | undefined;
  /** Label of the webhook, where it is known. */
  readonly label?: string | undefined;
  /** The bytes of the body. Empty with `bodyDropped` once memory was needed for later ones. */
  readonly rawBody: Uint8Array;
  /** The body was too many bytes to keep, or is too long ago. */
  readonly bodyDropped?: boolean | undefined;
  /** Whether the bytes were found genuine here. What a stranger sent (false) is not read where deliveries are received. */
  readonly verified?: boolean | undefined;
  /** At least one; the last is the latest. */
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt?: number | undefined;
}
