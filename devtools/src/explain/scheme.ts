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
  readonly faults: readonly Fault[];
  /** Length of its signatures in bytes. */
  readonly length: number;
  start(key: Uint8Array): Hasher;
}

/** The service's own. */
export const hmacSha256: Scheme = { faults: [], length: 32, start: (key) => hmac.create(sha256, key) };

const otherHash = (name: string, hash: typeof sha1, length: number): Scheme => ({
  faults: [
    fault(
      `signature-${name.toLowerCase().replace('-', '')}`,
      `The signature was made with HMAC-${name}; the service's is HMAC-SHA256.`,
      `Sign with createHmac('sha256', secret) where you sign (in a test or a proxy), or use signDelivery of event-webhook-receiver/verify. No receiver of this service takes ${name}.`,
    ),
  ],
  length,
  start: (key) => hmac.create(hash, key),
});

const withoutKey = (cause: string, how: string, start: Scheme['start']): Scheme => ({
  faults: [
    fault(
      cause,
      `The signature is ${how}, not an HMAC with the secret as its key.`,
      "Sign with createHmac('sha256', secret).update(rawBody).update(timestamp).digest('hex'), or with signDelivery of event-webhook-receiver/verify.",
    ),
  ],
  length: 32,
  start,
});

/** Other algorithms, the most frequent first. */
export const otherSchemes: readonly Scheme[] = [
  otherHash('SHA-512', sha512, 64),
  otherHash('SHA-1', sha1, 20),
  otherHash('SHA-384', sha384, 48),
  withoutKey('signature-without-key', 'a plain SHA-256 of the message', () => sha256.create()),
  withoutKey('signature-key-first', 'a SHA-256 of the secret followed by the message', (key) =>
    sha256.create().update(key),
  ),
];
