import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { toHex, utf8 } from './bytes.js';
import type { Fault } from './finding.js';

/** A hash under way, which can be cloned: one pass over a body serves every timestamp. */
export interface Hasher {
  update(bytes: Uint8Array): unknown;
  clone(): Hasher;
  digest(): Uint8Array;
}

/** A way to make a signature of a message and a key. */
export interface Scheme {
  readonly faults: readonly Fault[];
  /** Length of its signatures in bytes. */
  readonly length: number;
  start(key: Uint8Array): Hasher;
  /** The signature, from a hasher that has taken the whole message. */
  finish(hasher: Hasher, key: Uint8Array): Uint8Array;
}

const digest = (hasher: Hasher) => hasher.digest();

/** The service's own. */
export const hmacSha256: Scheme = {
  faults: [],
  length: 32,
  start: (key) => hmac.create(sha256, key),
  finish: digest,
};

const otherHash = (name: string, algorithm: string): Fault => ({
  cause: `signature-${algorithm}`,
  what: `The signature was made with HMAC-${name}; the service's is HMAC-SHA256.`,
  fix: `Sign with createHmac('sha256', secret) where you sign (in a test or a proxy), or use signDelivery of event-webhook-receiver/verify. No receiver of this service takes ${name}.`,
});

const hash = (cause: string, how: string): Fault => ({
  cause,
  what: `The signature is ${how}, not an HMAC with the secret as its key.`,
  fix: "Sign with createHmac('sha256', secret).update(rawBody).update(timestamp).digest('hex'), or with signDelivery of event-webhook-receiver/verify.",
});

const plain = (fault: Fault, finish: Scheme['finish']): Scheme => ({
  faults: [fault],
  length: 32,
  start: () => sha256.create(),
  finish,
});

/** What else signatures are made with, the most frequent first. */
export const otherSchemes: readonly Scheme[] = [
  {
    faults: [otherHash('SHA-512', 'sha512')],
    length: 64,
    start: (key) => hmac.create(sha512, key),
    finish: digest,
  },
  {
    faults: [otherHash('SHA-1', 'sha1')],
    length: 20,
    start: (key) => hmac.create(sha1, key),
    finish: digest,
  },
  {
    faults: [otherHash('SHA-384', 'sha384')],
    length: 48,
    start: (key) => hmac.create(sha384, key),
    finish: digest,
  },
  plain(hash('signature-without-key', 'a plain SHA-256 of the message'), digest),
  {
    faults: [hash('signature-key-first', 'a SHA-256 of the secret followed by the message')],
    length: 32,
    start: (key) => sha256.create().update(key),
    finish: digest,
  },
  plain(hash('signature-key-last', 'a SHA-256 of the message followed by the secret'), (hasher, key) => {
    hasher.update(key);
    return hasher.digest();
  }),
  plain(
    {
      cause: 'signature-key-and-message-swapped',
      what: 'The signature is an HMAC in which the message is the key and the secret is the message.',
      fix: 'Swap the arguments: pass the secret to createHmac or importKey, and the body and the timestamp to update or sign.',
    },
    // A key longer than a block is hashed first, and a message with a timestamp always is as long.
    (hasher, key) => hmac(sha256, hasher.digest(), key),
  ),
  plain(hash('signature-of-a-hash', 'an HMAC of the SHA-256 of the message'), (hasher, key) =>
    hmac(sha256, key, hasher.digest()),
  ),
  plain(hash('signature-of-a-hash', 'an HMAC of the SHA-256 of the message in hex'), (hasher, key) =>
    hmac(sha256, key, utf8(toHex(hasher.digest()))),
  ),
  {
    ...hmacSha256,
    faults: [hash('signature-hashed', 'the SHA-256 of the right signature')],
    finish: (hasher) => sha256(hasher.digest()),
  },
];

/** SHA-256 of a secret, as those make a key of it who want one of 32 bytes. */
export const hashOf = (bytes: Uint8Array): Uint8Array => sha256(bytes);
