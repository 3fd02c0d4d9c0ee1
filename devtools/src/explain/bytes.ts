const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** The text of UTF-8 bytes; undefined if they are not valid UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Encodes character codes as bytes, like `Buffer.from(text, 'latin1')`. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Decodes each byte to the character with its code. */
export function fromCodes(codes: Uint8Array | Uint16Array): string {
  const parts: string[] = [];
  for (let at = 0; at < codes.length; at += 8192) parts.push(String.fromCharCode(...codes.subarray(at, at + 8192)));
  return parts.join('');
}

const HEX = /^(?:[0-9a-f]{2})+$/i;

/** Decodes hex; undefined if the text is not hex. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !HEX.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The six bits of each digit, in base64 and base64url. */
const DIGITS = new Map(
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '-_'].flatMap((digits, at) =>
    Array.from(digits, (digit, value) => [digit.charCodeAt(0), at * 62 + value] as const),
  ),
);

/** Decodes base64 or base64url, with or without padding; undefined if the text is neither. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const length = text.indexOf('=') < 0 ? text.length : text.indexOf('=');
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  for (let at = 0, end = 0; at < length; at++) {
    bits = (bits << 6) | (DIGITS.get(text.charCodeAt(at)) as number);
    // Each digit but the first of four completes a byte.
    if (at % 4 !== 0) bytes[end++] = bits >> (6 - 2 * (at % 4));
  }
  return bytes;
}

export const toBase64 = (bytes: Uint8Array): string => btoa(fromCodes(bytes));

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes)
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/={1,2}$/, '');

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Returns a function that tells whether bytes are new, by their hash: keeping the bytes would use too much memory. */
export function createSeen(): (bytes: Uint8Array) => boolean {
  const seen = new Set<string>();
  return (bytes) => {
    let [a, b] = [0, 0];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      a = Math.imul(a ^ byte, 0x01000193);
      b = Math.imul(b + byte + 1, 0x85ebca6b);
    }
    return seen.size < seen.add(`${bytes.length}:${a}:${b}`).size;
  };
}
