import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as node from '../../src/signature/hmac-node.js';
import * as pure from '../../src/signature/hmac-pure.js';
import { fc } from '../fixtures/property.js';
import { bytes, vectors } from './signature.cases.js';

const HEX = '0123456789abcdef'.repeat(4);
const digests = fc.stringMatching(/^[0-9a-f]{64}$/);

describe.each([
  ['hmac-node', node],
  ['hmac-pure', pure],
] as const)('%s', (_, { hmacHex, equalHex }) => {
  it.each(vectors)('gives the HMAC of openssl and Python: %s at %s', (body, timestamp, secret, signature) => {
    expect(hmacHex(bytes(body), timestamp, secret)).toBe(signature);
  });

  it('hashes text as its UTF-8 bytes', () => {
    const text = '["é日🎉"]';
    expect(hmacHex(text, '1', 'k')).toBe(hmacHex(new TextEncoder().encode(text), '1', 'k'));
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

  it('compares as === does', () => {
    fc.assert(fc.property(digests, digests, (a, b) => equalHex(a, b) === (a === b) && equalHex(b, b)));
  });
});

describe('utf8Length', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 2],
    ['日', 3],
    ['🎉', 4],
    ['\ud83c', 3],
    ['\udf89', 3],
    ['\ud83c\ud83c\udf89', 7],
    ['\udf89\ud83c', 6],
    ['x'.repeat(100_000), 100_000],
  ])('gives the bytes of %j on every runtime', (text, bytes) => {
    expect(node.utf8Length(text)).toBe(bytes);
    expect(pure.utf8Length(text)).toBe(bytes);
  });

  it('gives what TextEncoder gives, for any string', () => {
    const unit = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7fe, max: 0xe001 }));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = String.fromCharCode(...units);
        const bytes = new TextEncoder().encode(text).length;
        expect(node.utf8Length(text)).toBe(bytes);
        expect(pure.utf8Length(text)).toBe(bytes);
      }),
      { seed: 11, numRuns: 2000 },
    );
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

describe('hmacAhead', () => {
  const [secrets, timestamp] = [['old', 'new'], '1700000000'];

  it.each([0, 100, 4095, 4096, 200_000])('gives what hmacHex gives, for bodies of %i bytes', async (size) => {
    const body = new Uint8Array(size).fill(7);
    for (const backend of [node, pure]) {
      const [bytes, hmac] = await backend.hmacAhead(body, timestamp, secrets);
      expect(bytes).toEqual(body);
      for (const secret of [...secrets, 'another']) {
        expect(hmac(bytes, timestamp, secret)).toBe(node.hmacHex(body, timestamp, secret));
      }
    }
  });

  it('gives a large body back as it was hashed, whatever is written into it meanwhile', async () => {
    const body = new Uint8Array(5000).fill(1);
    const ahead = pure.hmacAhead(body, timestamp, secrets);
    body.fill(2);
    const [bytes, hmac] = await ahead;
    expect(bytes).toEqual(new Uint8Array(5000).fill(1));
    expect(hmac(bytes, timestamp, 'old')).toBe(node.hmacHex(bytes, timestamp, 'old'));
  });

  it('gives a large body back as it was hashed, when its buffer is taken away meanwhile', async () => {
    const gone = new Uint8Array(5000).fill(1);
    const detached = pure.hmacAhead(gone, timestamp, secrets);
    structuredClone(gone, { transfer: [gone.buffer] });
    expect((await detached)[0]).toEqual(new Uint8Array(5000).fill(1));
  });

  it.each([undefined, null, 7, '', ['', undefined]])('fails on no secret: %o', async (secret) => {
    const [bytes, hmac] = await pure.hmacAhead(new Uint8Array(5000), timestamp, secret as never);
    expect(hmac(bytes, timestamp, 'new')).toBe(node.hmacHex(new Uint8Array(5000), timestamp, 'new'));
  });

  const sign = () => Promise.reject(new Error('Not supported'));
  it.each([
    ['no crypto', undefined],
    ['no WebCrypto', { subtle: null }],
    ['a WebCrypto without keys', { subtle: {} }],
    ['a WebCrypto that fails', { subtle: { importKey: async () => ({}), sign } }],
  ])('hashes where there is %s', async (_what, crypto) => {
    vi.stubGlobal('crypto', crypto);
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const body = new Uint8Array(5000);
    const [bytes, hmac] = await pure.hmacAhead(body, timestamp, 'new');
    expect(bytes).toEqual(body);
    expect(hmac(bytes, timestamp, 'new')).toBe(node.hmacHex(body, timestamp, 'new'));
  });
});
