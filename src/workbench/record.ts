/** One line of a header section: the name as it was written, and the value. */
export type HeaderLine = readonly [name: string, value: string];

/** What came of one POST: `accepted` 2xx, `refused` 403, `failed` any other answer or none, `pending` not yet answered. */
export type Verdict = 'accepted' | 'refused' | 'failed' | 'pending';

/** One POST of a delivery, and its answer. */
export interface Attempt {
  /** When it was sent, or came, in Unix milliseconds. */
  readonly at: number;
  /** The headers that it had. A retry is signed afresh, so they differ. */
  readonly headers: readonly HeaderLine[];
  /** The fault that was put into it on request, as people read it. */
  readonly fault?: string | undefined;
  /** The HTTP status that it was answered with; absent while there is none. */
  readonly status?: number | undefined;
  /** Why there is no answer, or why the answer is what it is. No secret and no expected signature. */
  readonly reason?: string | undefined;
  /** The stable code that goes with `reason`, such as `ERR_WEBHOOK_SIGNATURE` or `ECONNREFUSED`. */
  readonly code?: string | undefined;
  /** Milliseconds from the first byte to the answer. */
  readonly durationMs?: number | undefined;
}

/** A delivery as the workbench keeps it: the bytes, and every attempt to get them across. */
export interface DeliveryRecord {
  /** Counts up from '1' in a run. */
  readonly id: string;
  /** Where it came in, or where it is sent to: a path or a URL. */
  readonly target: string;
  /** Label of the webhook, where it is known. */
  readonly label?: string | undefined;
  /** The bytes of the body. Empty with `bodyDropped` once memory was needed for later ones. */
  readonly rawBody: Uint8Array;
  /** The body was too many bytes to keep, or is too long ago. */
  readonly bodyDropped?: boolean | undefined;
  /** At least one; the last is the latest. */
  readonly attempts: readonly Attempt[];
  /** When the next attempt is due, in Unix milliseconds. */
  readonly nextAttemptAt?: number | undefined;
}
