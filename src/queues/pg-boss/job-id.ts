import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NAMESPACE = Buffer.from('9c5b1b8e2f0e4a60b8d53f1f6f0d7a11', 'hex');
const NEXT = Buffer.from('41d0f3a95c7e4b0f9a6be2c8137d5f24', 'hex');

/**
 * The pg-boss id of a key: the key itself if it is a lower-case UUID, otherwise its UUIDv5. Different keys have
 * different ids: a key that is a version 5 UUID is hashed too, because it could be the hash of another key.
 */
export function pgBossJobId(key: string): string {
  const version = UUID.exec(key)?.[1];
  if (version !== undefined && version !== '5') return key;
  return uuid5(NAMESPACE, key);
}

/** The id of the job that replaces another, always the same for the same job. */
export function nextJobId(id: string): string {
  return uuid5(NEXT, id);
}

function uuid5(namespace: Buffer, text: string): string {
  // UTF-16, because UTF-8 replaces all lone surrogates with the same character.
  const name = Buffer.from(text, 'utf16le');
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
