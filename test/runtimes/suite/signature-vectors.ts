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
    'a key of four letters',
    'Jefe',
    '7768617420646f2079612077616e7420666f72206e6f7468696e673f',
    '1700000000',
    '777bd265727e3fb1ba0495ee845068e8b9af9f7f11ad7c3f906496d415b5b475',
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
    'a key of one byte more than a block',
    'k'.repeat(65),
    '5b7b226964223a2231227d5d',
    '0',
    '587799479270933823682fe452de0957fcfd322c738c42d03c187b7a98ee4971',
  ],
  [
    'a key of one byte less than a block',
    'k'.repeat(63),
    '5b7b226964223a2231227d5d',
    '0',
    'aeca3a80127c59b4ce48ecce624cb5fedde12f8e609ad74755d39cdc13a87006',
  ],
  [
    'a key of one letter',
    's',
    '5b5d',
    '9999999999999999',
    'a31d76536e6741ab49299aec4d32db512df91e95ec410d96ed8d5f2d1385cccb',
  ],
  [
    'a key beyond ASCII',
    'ключ-密钥-🔑',
    '5b7b226964223a22c3bc6ec3af636f6465222c226e6f7465223a22e697a5e69cace8aa9e20f09f8e89227d5d',
    '1700000000',
    '44b07a713b7d72f1006b45d515d3de8eca9bf4d9fd97515fe7610ad16af64587',
  ],
  [
    'a key that looks like hex',
    '6b6579',
    '5b315d',
    '1699582290',
    '0c1bc1ecf0dddcdd2f987531e9dbb2507fc71df8515d81842504ad6ce0db8710',
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
  [
    'a body of one byte',
    'whsec-test',
    '31',
    '1699582290',
    '11ba452ba962645c131b838622bc9db474146e390ee0698d6f2f100e01a919c8',
  ],
  [
    'a body of zero bytes only',
    'whsec-test',
    '00'.repeat(40),
    '1699582290',
    '017d22865e67f5cedf797200b082ff59cb0772d5ca60070d7c116404904e5084',
  ],
];

export const PATTERN_SECRET = 'whsec-test';
export const PATTERN_TIMESTAMP = '1700000000';

/** Signatures of `patternOf(size)`: around the blocks of the hash, and of large bodies. */
export const PATTERN_SIGNATURES: readonly (readonly [size: number, signature: string])[] = [
  [55, '5da7678d8fa05db77be8eb593f369162ed2b53d51e7df5c80b46284e4c45190d'],
  [56, '290714fcb5d42d68e1d0c9dcc6cca59f4568698f5127affe278891d9d01a93f6'],
  [63, 'ebbe25c8e2a650bd0f497bd545562371269cce4c2e4cd5f0b161df481148e8c2'],
  [64, 'c298c942f0faf335f69868370f2046628f2ce1aceeab11610f23df0d01c9fcb9'],
  [65, '928bfd865fa8fc46b0037e5bb589fc8a03d1bc3b4c29b05835f625f76d4694c3'],
  [119, 'a6f630dc3be6af6066f4a27559ea0097758a754593fabfc1deab4f900ee33833'],
  [120, '55c7571c4e305534066ad471aab27f935322d845325745301b9e6d3c52e2c90c'],
  [1000, '427b9733c69680c1544f9f060b16f654251a26e8b46dda4e5ebf4a74f00d51c5'],
  [16384, 'b259f8debb8679c0d35a0f70b003ce3be4eb90ce1ae9a0841061e6a1c7f56a99'],
  [65536, '69f5b7c0b88d328b5098d5755443d4234178878000acaa91f95ee0b4cc588898'],
  [100000, '3ffd29d2a7f0a01fec0aa6f9348da06e380fca6d44cc1d568f9ecce7c1b7aea8'],
  [1048577, 'bfe72d224411222ca17627d06fa64ec1f09d31fe023b7bb5ac3f36c0c50e15ff'],
  [2097152, '7881a1d2e20d146298ba446bd2881f08d3a3a99bf268501c397a90fa7cf3cb82'],
];

/** Bytes in which each differs from the next, and each size from the others. */
export function patternOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 7 + size) % 256;
  return bytes;
}
