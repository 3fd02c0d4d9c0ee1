import { sha256Hex } from '#runtime';

/** Letters, digits and punctuation that no database interprets; long enough for any usual identifier. */
const PLAIN = /^[\w.:@/+-]{1,200}$/;
const HASHED = 'sha256:';

/**
 * The text under which a store keeps an idempotency key: the key, so that people can find it, or its hash if the key is
 * empty, long, or contains characters that a database may reject or change. Different keys have different texts.
 */
export function storableKey(key: string): string {
  if (PLAIN.test(key) && !key.startsWith(HASHED)) return key;
  return HASHED + sha256Hex(utf16(key));
}

/** UTF-16, because UTF-8 replaces all lone surrogates with the same character. */
function utf16(text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
}
