import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The last secret as a key: importing it costs as much as hashing a small body. A rotated secret is not kept. */
let last: { readonly secret: string; readonly key: KeyObject } | undefined;

/** HMAC-SHA256 over the bytes of `body` followed by those of `timestamp`, as 64 lower-case hex digits. */
export function hmacHex(body: string | Uint8Array, timestamp: string, secret: string): string {
  if (last?.secret !== secret) last = { secret, key: createSecretKey(secret, 'utf8') };
  return createHmac('sha256', last.key).update(body).update(timestamp).digest('hex');
}

/** SHA-256 of a text in UTF-8, or of bytes, as 64 lower-case hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Hashes a large body asynchronously. Not needed here: Node's synchronous HMAC is fast. */
export function hmacAhead<Body>(body: Body, _timestamp: string, _secret: unknown): [Body, typeof hmacHex] {
  return [body, hmacHex];
}

/** Compares two strings of exactly 64 ASCII characters in constant time. */
export function equalHex(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
