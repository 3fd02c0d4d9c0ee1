// Signed with Python's hmac over body and timestamp, and nothing of this project.

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join('');

type Vector = readonly [title: string, secret: string, bodyHex: string, timestamp: string, signature: string];

/** Genuine deliveries: with the keys of RFC 4231 as far as they are text, and with keys and bodies of odd kinds. */
export const VECTORS: readonly Vector[] = [
  [
    "RFC 4231's first key",
    '\x0b'.repeat(20),
    '4869205468657265',
    '1699582290',
    'af12f8c6eb2d8075a8272ff3c89bac1c0a1cb9db7b96f99cd0db8726933fff2e',
  ],
  [
    'a key of 131 letters, longer than the block of the hash',
    'a'.repeat(131),
    '54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374',
    '1',
    'a5044e1f7b60f7ee8bcb1e01dc2f81e768ce9dc7d44c1577421cdfd7f8158280',
  ],
  [
    'a key of exactly one block',
    'k'.repeat(64),
    '5b7b226964223a2231227d5d',
    '0',
    '06009434486c8698a602e9e8d849ebc0cf67030b407f35106c3566e7ff8e0ec7',
  ],
  [
    'a key beyond ASCII',
    'ключ-密钥-🔑',
    '5b7b226964223a22c3bc6ec3af636f6465222c226e6f7465223a22e697a5e69cace8aa9e20f09f8e89227d5d',
    '1700000000',
    '44b07a713b7d72f1006b45d515d3de8eca9bf4d9fd97515fe7610ad16af64587',
  ],
  [
    'a key with white space around it',
    ' whsec \n',
    '5b315d',
    '1699582290',
    '240c8d9e76f753582a6abfe3d4c3bc9c8511a29a0f0fad0ae823a4e2784f48db',
  ],
  [
    'a body that is no UTF-8',
    'whsec-test',
    ALL_BYTES,
    '1699582290',
    '4e9ce066d299b5d29d2bec3097441fab563185166341342c83f4f02f2fc23ec0',
  ],
  [
    'a body that starts with a byte order mark',
    'whsec-test',
    'efbbbf5b5d',
    '1699582290',
    '9afbf61d347d327a583c33f889b795cd8e21106fb4290c1a832866e8ebe6262d',
  ],
];

export const PATTERN_SECRET = 'whsec-test';
export const PATTERN_TIMESTAMP = '1700000000';

/** Signatures of `patternOf(size)`: around the blocks of the hash, and of large bodies. */
export const PATTERN_SIGNATURES: readonly (readonly [size: number, signature: string])[] = [
  [55, '5da7678d8fa05db77be8eb593f369162ed2b53d51e7df5c80b46284e4c45190d'],
  [63, 'ebbe25c8e2a650bd0f497bd545562371269cce4c2e4cd5f0b161df481148e8c2'],
  [65, '928bfd865fa8fc46b0037e5bb589fc8a03d1bc3b4c29b05835f625f76d4694c3'],
  [119, 'a6f630dc3be6af6066f4a27559ea0097758a754593fabfc1deab4f900ee33833'],
  [65536, '69f5b7c0b88d328b5098d5755443d4234178878000acaa91f95ee0b4cc588898'],
  [1048577, 'bfe72d224411222ca17627d06fa64ec1f09d31fe023b7bb5ac3f36c0c50e15ff'],
  [2097152, '7881a1d2e20d146298ba446bd2881f08d3a3a99bf268501c397a90fa7cf3cb82'],
];

/** Bytes in which each differs from the next, and each size from the others. */
export function patternOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 7 + size) % 256;
  return bytes;
}
