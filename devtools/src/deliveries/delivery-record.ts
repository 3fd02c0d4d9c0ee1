import type { Attempt, AttemptResponse, HeaderLine } from '../service/attempt.js';

export type { Attempt, AttemptResponse, HeaderLine };

/**
 * The result of one POST: `accepted` 2xx; `refused` 400, 401, 403 or 422; `failed` any other response, such as 404 or 500,
 * or none; `pending` not answered yet.
 */
export type Verdict = 'accepted' | 'refused' | 'failed' | 'pending';

/** Why a delivery was not accepted, in a few words. */
export interface Cause {
  /** Identifier, as in a finding. */
  readonly id: string;
  /** Such as "stale by 50 min", at most 100 characters. */
  readonly text: string;
}

/** A delivery as the page shows it: its bytes, and every attempt to deliver them. */
export interface DeliveryRecord {
  /** Counts up from '1' in each run. */
  readonly id: string;
  /** The path that it was received at, or the URL that it is sent to. */
  readonly target: string;
  /** The webhook it belongs to, if the source has several. */
  readonly webhookId?: number | undefined;
  /** Label of the webhook, if known. */
  readonly label?: string | undefined;
  /** The bytes of the body; empty with `bodyDropped`. */
  readonly rawBody: Uint8Array;
  /** Whether the body was dropped, because it was too large or too old to keep. */
  readonly bodyDropped?: boolean | undefined;
  /** Whether the signature was verified here. If false, the receiving process does not parse the body. */
  readonly verified?: boolean | undefined;
  /** Whether it was opened from a recording: it was neither received nor sent in this run. */
  readonly recorded?: true | undefined;
  /** At least one; the last is the latest. */
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt?: number | undefined;
}
