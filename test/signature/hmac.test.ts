import { describe, expect, it } from 'vitest';
import * as node from '../../src/runtime/hmac-node.js';
import * as pure from '../../src/runtime/hmac-pure.js';
import { fc } from '../fixtures/property.js';
import { bytes, vectors } from './signature.cases.js';

const HEX = '0123456789abcdef'.repeat(4);

describe.each([
  ['hmac-node', node],
  ['hmac-pure', pure],
] as const)('%s', (_, { hmacHex, sha256Hex, equalHex }) => {
  it.each(vectors)('gives the HMAC of openssl and Python: %s at %s', (body, timestamp, secret, signature) => {
    expect(hmacHex(bytes(body), timestamp, secret)).toBe(signature);
  });

  it('hashes text as its UTF-8 bytes', () => {
    const text = '["é日🎉"]';
    expect(hmacHex(text, '1', 'k')).toBe(hmacHex(new TextEncoder().encode(text), '1', 'k'));
  });

  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['é日🎉', '2d234ebeac20d91d9334478345570321bc9431c6ddfa8ad21c330192957bdaab'],
  ])('gives the SHA-256 of %j, as text and as bytes', (text, digest) => {
    expect(sha256Hex(text)).toBe(digest);
    expect(sha256Hex(new TextEncoder().encode(text))).toBe(digest);
  });

  it('hashes a part of a larger buffer alone, as any view of one-byte elements', () => {
    const whole = Uint8Array.from([1, 2, 3, 4]);
    const expected = hmacHex(Uint8Array.from([2, 3]), '1', 'k');
    const { buffer } = whole;
    for (const view of [whole.subarray(1, 3), Buffer.from(buffer, 1, 2), new Int8Array(buffer, 1, 2)]) {
      expect(hmacHex(view as Uint8Array, '1', 'k')).toBe(expected);
    }
  });

  it('finds two digests equal only when they are, whichever digit differs', () => {
    expect(equalHex(HEX, HEX)).toBe(true);
    for (let at = 0; at < 64; at++) {
      const other = `${HEX.slice(0, at)}${HEX[at] === 'f' ? '0' : 'f'}${HEX.slice(at + 1)}`;
      expect(equalHex(HEX, other), `digit ${at}`).toBe(false);
      expect(equalHex(other, HEX), `digit ${at}`).toBe(false);
      expect(equalHex(other, other), `digit ${at}`).toBe(true);
    }
  });
});

describe('both backends', () => {
  it('give the same HMAC', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), text), text, text, (body, timestamp, secret) => {
        expect(pure.hmacHex(body, timestamp, secret)).toBe(node.hmacHex(body, timestamp, secret));
      }),
    );
  });
});
