import { createHash } from 'node:crypto';

/**
 * Text that BullMQ accepts as an id and that differs from BullMQ's own key names. On Redis a job's key is the queue's
 * name and the id, so a job with the id `meta` would be mistaken for an existing one. None of BullMQ's key names
 * contains a digit.
 */
const PLAIN = /^(?=.*[0-9])[\w.@+-]{1,200}$/;
const HASHED = 'sha256-';

/** The BullMQ id of a key: the key itself if BullMQ accepts it, otherwise its hash. Different keys have different ids. */
export function bullmqJobId(key: string): string {
  // BullMQ refuses integers, and a database may generate other numbers as ids.
  if (PLAIN.test(key) && Number.isNaN(Number(key)) && !key.startsWith(HASHED)) return key;
  // UTF-16, because UTF-8 replaces all lone surrogates with the same character.
  return HASHED + createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex');
}
