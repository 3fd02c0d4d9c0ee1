import { hmacHex } from '#runtime';
import { docsOf, WebhookError } from '../errors.js';
import type { HeaderNames } from './headers.js';
import { isSignature, isTimestamp, type RawBody, type SignedParts, verifyWith } from './verify-signature.js';

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
  if (!verifyWith(check.hmac ?? hmacHex, parts, secrets))
    return { refusal: refusal('ERR_WEBHOOK_SIGNATURE', MISMATCH) };
  // After the signature: a forgery must not be reported as stale. Negated, so that NaN is refused.
  const { toleranceSeconds, nowMs } = check;
  const ageSeconds = nowMs / 1000 - Number(parts.timestamp);
  if (toleranceSeconds !== false && !(Math.abs(ageSeconds) <= toleranceSeconds)) {
    return { refusal: timestampError(ageSeconds, toleranceSeconds) };
  }
  return { rawBody: parts.rawBody, timestamp: String(parts.timestamp) };
}

// Errors of the signature and timestamp checks. These messages are never sent to the sender.

const refusal = (code: `ERR_WEBHOOK_${'HEADER' | 'SIGNATURE' | 'TIMESTAMP'}`, message: string): WebhookError =>
  new WebhookError(code, `${message} Causes and fixes: ${docsOf(code)}`);

/** The error for missing or malformed signature headers; undefined if they are well-formed. */
export function headerError(
  { signature, timestamp }: Omit<SignedParts, 'rawBody'>,
  names: HeaderNames,
): WebhookError | undefined {
  const isSigned = isSignature(signature);
  if (isSigned && isTimestamp(timestamp)) return undefined;
  const [name, value, form] = isSigned
    ? [names.timestamp, timestamp, 'Unix seconds in decimal digits']
    : [names.signature, signature, '64 hex digits'];
  const missing =
    'is missing. If your sender uses other names, set the option headers: serviceHeaders, multibaasHeaders or your own.';
  return refusal('ERR_WEBHOOK_HEADER', `${name} ${value === undefined ? missing : `must be ${form}, and sent once.`}`);
}

const MISMATCH = 'Signature mismatch: forged request, wrong secret, or modified body.';

/** The error for a delivery without a body. */
export const missingBodyError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'No body was passed. Pass the bytes of the request as `rawBody`.');

/** The error for a delivery that is authentic but too old, or ahead of the clock. */
function timestampError(ageSeconds: number, toleranceSeconds: number): WebhookError {
  const distance = `${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
  return refusal(
    'ERR_WEBHOOK_TIMESTAMP',
    `The delivery is authentic but its timestamp is ${distance} (toleranceSeconds: ${toleranceSeconds}): a replay, a delivery that waited, or a wrong clock. Set toleranceSeconds: false if your sender resends the first timestamp.`,
  );
}
