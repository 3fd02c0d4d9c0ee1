import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const utf8 = new TextEncoder();

/** HMAC-SHA256 over the bytes of `body` followed by those of `timestamp`, as 64 lower-case hex digits. */
export function hmacHex(body: string | Uint8Array, timestamp: string, secret: string): string {
  const bytes =
    typeof body === 'string' ? utf8.encode(body) : new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return bytesToHex(hmac.create(sha256, utf8.encode(secret)).update(bytes).update(utf8.encode(timestamp)).digest());
}

/** SHA-256 of a text in UTF-8, or of bytes, as 64 lower-case hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8.encode(data) : data));
}

/** WebCrypto is faster than the JavaScript HMAC from 100 bytes in workerd, and from 8 kB in the edge runtime on Node. */
const WEBCRYPTO_FROM = 4096;

/**
 * Hashes a large body with WebCrypto. Returns the hashed body, a copy that cannot change meanwhile, and a replacement
 * for `hmacHex` that returns the computed HMAC.
 */
export async function hmacAhead<Body>(
  body: Body,
  timestamp: string,
  secret: string | readonly string[],
): Promise<[Body | Uint8Array, typeof hmacHex]> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle || !(body instanceof Uint8Array) || body.byteLength < WEBCRYPTO_FROM) return [body, hmacHex];
  // Copied before the first await, during which the buffer of `body` may be detached or resized.
  const message = new Uint8Array(body.byteLength + timestamp.length);
  const copy = message.subarray(0, body.byteLength);
  copy.set(body);
  message.set(utf8.encode(timestamp), copy.byteLength);
  const macs = new Map<string, string>();
  try {
    for (const each of [secret].flat()) {
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const key = await subtle.importKey('raw', utf8.encode(each), algorithm, false, ['sign']);
      macs.set(each, bytesToHex(new Uint8Array(await subtle.sign('HMAC', key, message))));
    }
  } catch {
    // An incomplete WebCrypto (a polyfill) must not lose a delivery: `hmacHex` computes what is missing.
  }
  return [copy, (_body, _timestamp, each) => macs.get(each) ?? hmacHex(copy, timestamp, each)];
}

/** Compares two strings of exactly 64 ASCII characters in constant time. */
export function equalHex(a: string, b: string): boolean {
  let difference = 0;
  for (let i = 0; i < 64; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
