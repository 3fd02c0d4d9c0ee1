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

/** Compares two strings of exactly 64 ASCII characters in constant time: every character is looked at. */
export function equalHex(a: string, b: string): boolean {
  let difference = 0;
  for (let i = 0; i < 64; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
