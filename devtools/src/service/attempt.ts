/** One header line: the name as sent, and the value. */
export type HeaderLine = readonly [name: string, value: string];

/** A byte of a body that was changed after signing. */
export interface ByteChange {
  /** Its position in the body. */
  readonly at: number;
  /** The byte that was sent. */
  readonly sent: number;
}

/** One POST of a delivery, and its response. */
export interface Attempt {
  /** When it was sent or received, in Unix milliseconds. */
  readonly at: number;
  /** Its headers. They differ between attempts, because each retry has a new signature. */
  readonly headers: readonly HeaderLine[];
  /** The injected fault, in words. */
  readonly fault?: string | undefined;
  /** The byte that the fault `tamperedBody` changed: the signature is that of the body without the change. */
  readonly tampered?: ByteChange | undefined;
  /** The HTTP status of the response; undefined while there is none. */
  readonly status?: number | undefined;
  /** Why there is no response, or why it was refused. Contains no secret and no expected signature. */
  readonly reason?: string | undefined;
  /** The stable code that goes with `reason`, such as `ERR_WEBHOOK_SIGNATURE` or `ECONNREFUSED`. */
  readonly code?: string | undefined;
  /** Milliseconds from the first byte to the response. */
  readonly durationMs?: number | undefined;
  /** The response itself, at most 16 kB of it. Reported once, with the attempt that it ends. */
  readonly response?: AttemptResponse | undefined;
}

/** The headers and the start of the body of a response: untrusted text. */
export interface AttemptResponse {
  /** In the order and spelling in which they were received. */
  readonly headers: readonly HeaderLine[];
  /** The first bytes of the body in base64; decompressed if Content-Encoding is gzip, deflate or br. */
  readonly bodyBase64: string;
  /** Bytes of the body that were received, which may be fewer than were sent if `truncated`. */
  readonly bytes: number;
  /** Whether the end of the body is missing. */
  readonly truncated?: true | undefined;
}
