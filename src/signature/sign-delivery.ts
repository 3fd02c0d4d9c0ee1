import { hmacHex } from '#runtime';
import { ConfigError } from '../errors.js';
import { type HeaderNames, serviceHeaders } from './headers.js';
import { isTimestamp, type RawBody, signedBytes } from './verify-signature.js';

/** Options of {@link signDelivery}. */
export interface SignOptions {
  /** The signing secret: its UTF-8 text is the key, never hex- or base64-decoded. */
  readonly secret: string;
  /** Unix time in seconds, or the header's text. (Default: now.) */
  readonly timestamp?: number | string | undefined;
  /** Names of the two headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
}

/** An authentic delivery: its body and headers, and the parts that `receiver.handle` takes. */
export interface SignedDelivery<Body extends RawBody = RawBody> {
  /** The bytes to send. */
  readonly rawBody: Body;
  /** `Content-Type` and the two signature headers, ready for `fetch`. */
  readonly headers: Record<string, string>;
  /** 64 lower-case hex digits. */
  readonly signature: string;
  /** Unix time in seconds as decimal text. */
  readonly timestamp: string;
}

/**
 * Signs a body as the service does (spec section 5.2) and returns it with its headers, so that a test sends exactly what
 * was signed. It does not check that the body is a JSON array.
 *
 * @example
 * ```ts
 * import { signDelivery } from 'event-webhook-receiver/verify';
 *
 * const { rawBody, headers } = signDelivery('[]', { secret: 'whsec-test' });
 * await fetch('http://localhost:3000/webhooks', { method: 'POST', body: rawBody, headers });
 * ```
 * @param rawBody The bytes to send.
 * @param options `secret` is required; `timestamp` is in Unix seconds.
 * @returns The body, its headers, and the signature and timestamp that they contain.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the body is empty, or an option is missing or invalid.
 */
export function signDelivery<Body extends RawBody>(rawBody: Body, options: SignOptions): SignedDelivery<Body> {
  const { secret, timestamp = Math.floor(Date.now() / 1000), headers = serviceHeaders } = options ?? {};
  const body = signedBytes(rawBody);
  const time = String(timestamp);
  if (!body?.length)
    throw new ConfigError('`signDelivery` needs a body that is not empty: bytes or a well-formed string.');
  if (typeof secret !== 'string' || !secret) throw new ConfigError('`secret` must be a non-empty string.');
  if (!isTimestamp(time)) throw new ConfigError('`timestamp` must be whole Unix seconds of at most 16 digits.');
  const signature = hmacHex(body, time, secret);
  return {
    rawBody,
    headers: { 'Content-Type': 'application/json', [headers.signature]: signature, [headers.timestamp]: time },
    signature,
    timestamp: time,
  };
}
