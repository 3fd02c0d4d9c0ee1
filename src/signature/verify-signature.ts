import { equalHex, hmacHex } from '#runtime';

/** The body of a delivery exactly as received. A string means its UTF-8 bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The three parts that a signature covers, as they arrived. A header that is missing is undefined. */
export interface SignedParts {
  readonly rawBody: RawBody;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

const NOT_HEX = /[^0-9a-fA-F]/;
/** The texts that JavaScript makes of missing values and objects. */
const STRINGIFIED = /^(?:undefined|null|NaN|\[object .*\])$/;
const TIMESTAMP = /^(0|[1-9][0-9]{0,15})$/;

/** Whether a secret is the text of a missing value or an object, which anybody can sign with. */
export function isStringified(secret: string): boolean {
  return STRINGIFIED.test(secret);
}

/** Whether a value has the form of a signature: 64 hex digits in either case. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value.length === 64 && !NOT_HEX.test(value);
}

/** Whether a value has the form of a timestamp: canonical decimal digits, 16 at most. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value);
}

/**
 * Whether `signature` is the HMAC-SHA256 of `rawBody` followed by `timestamp` under `secret` (spec section 5.2).
 * Synchronous on every runtime. Compares in constant time. Never throws: a value that is missing, empty, of the wrong
 * type or not in canonical form returns `false`, and so does a secret such as `'undefined'`, the text of a variable
 * that is not set.
 *
 * It does not check the clock, so it accepts a replayed delivery: compare `timestamp` with your clock, or use a
 * receiver with `toleranceSeconds`.
 *
 * @example
 * ```ts
 * import { verifySignature } from 'event-webhook-receiver/verify';
 *
 * const isAuthentic = verifySignature('[]', '0'.repeat(64), '1700000000', 'whsec-test');
 * ```
 * @param rawBody The bytes exactly as received. Parsing and serializing them again changes them.
 * @param signature The signature header: 64 hex digits in either case.
 * @param timestamp The timestamp header: canonical decimal digits, at most 16.
 * @param secret The webhook's signing secret, or several during rotation: one of them must match.
 * @returns `true` only for an authentic delivery.
 */
export function verifySignature(
  rawBody: RawBody,
  signature: string,
  timestamp: string,
  secret: string | readonly string[],
): boolean {
  return verifyWith(hmacHex, { rawBody, signature, timestamp }, secret);
}

/** {@link verifySignature} with an HMAC that may have been computed already. */
export function verifyWith(
  hmac: typeof hmacHex,
  { rawBody, signature, timestamp }: SignedParts,
  secret: string | readonly string[],
): boolean {
  try {
    // `equalHex` takes nothing but 64 characters.
    if (!isSignature(signature) || !isTimestamp(timestamp)) return false;
    const body = signedBytes(rawBody);
    if (!body?.length) return false;
    const given = signature.toLowerCase();
    for (const each of Array.isArray(secret) ? secret : [secret]) {
      if (typeof each === 'string' && each && !isStringified(each) && equalHex(hmac(body, timestamp, each), given))
        return true;
    }
    return false;
  } catch {
    // A value that throws when read (a proxy, a getter, a detached buffer) is not an authentic delivery.
    return false;
  }
}

/** The body in a form that can be hashed; undefined for anything else. Works across realms, where instanceof does not. */
export function signedBytes(body: unknown): string | Uint8Array | undefined {
  try {
    // A lone surrogate has no UTF-8 form: it would be hashed as U+FFFD, a different text.
    if (typeof body === 'string') return body.isWellFormed() ? body : undefined;
    if (ArrayBuffer.isView(body))
      return (body as Uint8Array).BYTES_PER_ELEMENT === 1 ? (body as Uint8Array) : undefined;
    // A DataView accepts only buffers; for anything else, such as an object that imitates one, it throws.
    return new Uint8Array(new DataView(body as ArrayBuffer).buffer);
  } catch {
    return undefined;
  }
}
