import { hmacHex } from '#runtime';
import type { WebhookError } from '../errors.js';
import type { HeaderNames } from './headers.js';
import { headerError, signatureError, timestampError } from './refusals.js';
import { type RawBody, verifyWith } from './verify-signature.js';

/** The three parts that a signature covers, as they arrived. */
export interface SignedParts {
  readonly rawBody: RawBody;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

/** What a delivery is checked against. */
export interface Check {
  /** Largest difference between timestamp and clock, in either direction; `false` allows any. */
  readonly toleranceSeconds: number | false;
  /** The time of arrival, in epoch milliseconds. */
  readonly nowMs: number;
  /** The names of the two headers, for messages. */
  readonly headers: HeaderNames;
  /** Finds a header by its name in lower case, for messages. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** The HMAC, which may have been computed already. (Default: `hmacHex` of the runtime.) */
  readonly hmac?: typeof hmacHex;
}

/** Parts that the holder of a secret has signed, within the tolerance. */
export interface Authentic {
  readonly rawBody: RawBody;
  readonly timestamp: string;
}

/**
 * Decides whether a delivery is authentic (spec section 5.2): both headers have their form, the signature is that of the
 * bytes and the timestamp under one of the secrets, and the timestamp is within the tolerance. Pure and total: it returns a
 * refusal for anything else, whatever it gets.
 */
export function authenticate(
  parts: SignedParts,
  secrets: string | readonly string[],
  check: Check,
): Authentic | { readonly refusal: WebhookError } {
  const { rawBody, signature, timestamp } = parts;
  const malformed = headerError(parts, check);
  if (malformed) return { refusal: malformed };
  if (!verifyWith(check.hmac ?? hmacHex, rawBody, signature, timestamp, secrets)) return { refusal: signatureError() };
  // After the signature: a forgery must not be reported as stale. Negated, so that NaN is refused.
  const { toleranceSeconds, nowMs } = check;
  const ageSeconds = nowMs / 1000 - Number(timestamp);
  if (toleranceSeconds !== false && !(Math.abs(ageSeconds) <= toleranceSeconds)) {
    return { refusal: timestampError(ageSeconds, toleranceSeconds) };
  }
  return { rawBody, timestamp: String(timestamp) };
}
