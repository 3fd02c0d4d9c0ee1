import { hmacHex } from '#runtime';
import type { WebhookError } from '../errors.js';
import type { HeaderNames } from './headers.js';
import { headerError, signatureError, timestampError } from './refusals.js';
import { type RawBody, type SignedParts, verifyWith } from './verify-signature.js';

/** The settings for checking a delivery. */
export interface Check {
  /** Largest difference between timestamp and clock, in either direction; `false` allows any. */
  readonly toleranceSeconds: number | false;
  /** The time of arrival, in epoch milliseconds. */
  readonly nowMs: number;
  /** The names of the two headers, for messages. */
  readonly headers: HeaderNames;
  /** The HMAC, which may have been computed already. (Default: `hmacHex` of the runtime.) */
  readonly hmac?: typeof hmacHex;
}

/** The verified parts of a delivery. */
export interface Authentic {
  readonly rawBody: RawBody;
  readonly timestamp: string;
}

/**
 * Decides whether a delivery is authentic (spec section 5.2): both headers have their form, the signature is that of
 * the bytes and the timestamp under one of the secrets, and the timestamp is within the tolerance. Pure, and never
 * throws: it returns a refusal for everything else.
 */
export function authenticate(
  parts: SignedParts,
  secrets: string | readonly string[],
  check: Check,
): Authentic | { readonly refusal: WebhookError } {
  const malformed = headerError(parts, check.headers);
  if (malformed) return { refusal: malformed };
  if (!verifyWith(check.hmac ?? hmacHex, parts, secrets)) return { refusal: signatureError() };
  // After the signature: a forgery must not be reported as stale. Negated, so that NaN is refused.
  const { toleranceSeconds, nowMs } = check;
  const ageSeconds = nowMs / 1000 - Number(parts.timestamp);
  if (toleranceSeconds !== false && !(Math.abs(ageSeconds) <= toleranceSeconds)) {
    return { refusal: timestampError(ageSeconds, toleranceSeconds) };
  }
  return { rawBody: parts.rawBody, timestamp: String(parts.timestamp) };
}
