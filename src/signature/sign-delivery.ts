import { hmacHex } from '#runtime';
import { ConfigError } from '../errors.js';
import { type HeaderNames, serviceHeaders } from './headers.js';
import { isTimestamp, type RawBody, signedBytes } from './verify-signature.js';

/** Options of {@link signDelivery}. */
export interface SignOptions {
  /** The signing secret: its UTF-8 text is the key, never hex- or base64-decoded. */
  readonly secret: string;
  /** Unix time in seconds, or the header's text. (Default: the present second.) */
  readonly timestamp?: number | string | undefined;
  /** Names of the two headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
}

/** A body together with the headers that make it a genuine delivery. */
export interface SignedDelivery<Body extends RawBody = RawBody> {
  readonly body: Body;
  /** `Content-Type` and the two signature headers, ready for `fetch`. */
  readonly headers: Record<string, string>;
  /** 64 lower-case hex digits. */
  readonly signature: string;
  /** Unix time in seconds as decimal text. */
  readonly timestamp: string;
}

/**
 * Signs a body as the service does (spec section 5.2) and gives body and headers together, so that a test cannot sign
 * one thing and send another. It does not check that the body is a JSON array.
 *
 * @example
 * ```ts
 * import { signDelivery } from 'event-webhook-receiver/verify';
 *
 * const { body, headers } = signDelivery('[]', { secret: 'whsec-test' });
 * await fetch('http://localhost:3000/webhooks', { method: 'POST', body, headers });
 * ```
 * @param rawBody The bytes to send.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when nothing could verify the result: an empty body or secret, or a timestamp that is not canonical decimal digits.
 */
export function signDelivery<Body extends RawBody>(
  rawBody: Body,
  { secret, timestamp = Math.floor(Date.now() / 1000), headers = serviceHeaders }: SignOptions,
): SignedDelivery<Body> {
  const body = signedBytes(rawBody);
  const time = String(timestamp);
  if (!body?.length) throw new ConfigError('signDelivery needs a body: a well-formed string or bytes.');
  if (typeof secret !== 'string' || !secret) throw new ConfigError('signDelivery needs a secret.');
  if (!isTimestamp(time)) {
    throw new ConfigError('signDelivery needs a timestamp in whole Unix seconds.');
  }
  const signature = hmacHex(body, time, secret);
  return {
    body: rawBody,
    headers: { 'Content-Type': 'application/json', [headers.signature]: signature, [headers.timestamp]: time },
    signature,
    timestamp: time,
  };
}
