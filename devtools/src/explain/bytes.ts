import { hexToBytes } from '@noble/hashes/utils.js';
import { attempt } from '../guards.js';

export { bytesToHex as toHex } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** The text of UTF-8 bytes; undefined if they are not valid UTF-8. */
export const textOf = (bytes: Uint8Array): string | undefined => attempt(() => strict.decode(bytes));

const PIECE = 65_536;

/**
 * Replaces characters or line breaks piece by piece, because the list of all matches takes many times the memory of the
 * text. A replacement function prevents V8 from building a tree of strings.
 */
export function replaced(text: string, pattern: RegExp, by: (match: string) => string): string {
  const parts: string[] = [];
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + PIECE;
    if (text[end - 1] === '\r') end++;
    parts.push(text.slice(at, end).replace(pattern, by));
  }
  return parts.join('');
}

/** JSON with the escapes of Go's encoding/json, in which the service writes it. */
export const goEscaped = (json: string): string =>
  replaced(json, /[&<>\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const goJson = (value: unknown): string => goEscaped(JSON.stringify(value));

/** Encodes character codes as bytes, like `Buffer.from(text, 'latin1')`. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Decodes each byte to the character with its code. */
export function fromCodes(codes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < codes.length; at += 8192) parts.push(String.fromCharCode(...codes.subarray(at, at + 8192)));
  return parts.join('');
}

/** Decodes hex; undefined if the text is not hex. */
export const fromHex = (text: string): Uint8Array | undefined =>
  text === '' ? undefined : attempt(() => hexToBytes(text));

/** Decodes base64 or base64url, with or without padding; undefined if the text is neither. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return attempt(() => latin1(atob(replaced(text, /[-_]/g, (digit) => (digit === '-' ? '+' : '/')))));
}

export const toBase64 = (bytes: Uint8Array): string => btoa(fromCodes(bytes));

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
