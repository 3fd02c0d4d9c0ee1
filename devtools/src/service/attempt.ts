/** One line of a header section: the name as it was written, and the value. */
export type HeaderLine = readonly [name: string, value: string];

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
