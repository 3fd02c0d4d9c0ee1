import { createHash } from 'node:crypto';

/** Letters, digits and punctuation that nothing treats as more than text; long enough for any usual identifier. */
const PLAIN = /^[\w.:@/+-]{1,200}$/;
const HASHED = 'sha256:';

/**
 * The text under which a store keeps an idempotency key: the key itself, to be found again by a person, unless it is
 * empty, long, or holds what a database may refuse or change; then its hash. Two keys never share a text.
 */
export function storableKey(key: string): string {
  if (PLAIN.test(key) && !key.startsWith(HASHED)) return key;
  // UTF-16, because UTF-8 has one replacement for all lone surrogates.
  return HASHED + createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex');
}
