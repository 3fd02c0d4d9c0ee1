import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { type Fault, fault } from './finding.js';

/** A hash in progress. It can be cloned, so that one pass over a body serves every timestamp. */
interface Hasher {
  update(bytes: Uint8Array): unknown;
  clone(): Hasher;
  digest(): Uint8Array;
}

/** A signature algorithm. */
export interface Scheme {
  readonly fault?: Fault | undefined;
  /** Length of its signatures in bytes. */
  readonly length: number;
  start(key: Uint8Array): Hasher;
}

/** The service's own. */
export const hmacSha256: Scheme = { length: 32, start: (key) => hmac.create(sha256, key) };

const otherHash = (name: string, hash: typeof sha1, length: number): Scheme => ({
  fault: fault(
    `signature-${name.toLowerCase().replace('-', '')}`,
    `The signature was made with HMAC-${name}; the service's is HMAC-SHA256.`,
    `Sign with createHmac('sha256', secret) where you sign (in a test or a proxy), or use signDelivery of event-webhook-receiver/verify. No receiver of this service takes ${name}.`,
  ),
  length,
  start: (key) => hmac.create(hash, key),
});

/** Other algorithms, the most frequent first. */
export const otherSchemes: readonly Scheme[] = [
  otherHash('SHA-512', sha512, 64),
  otherHash('SHA-1', sha1, 20),
  otherHash('SHA-384', sha384, 48),
];
