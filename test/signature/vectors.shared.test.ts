import { describe, expect, it } from 'vitest';
import { createReceiver, InvalidBodyError, parseDelivery, verifySignature } from '../../src/index.js';
import * as node from '../../src/runtime/hmac-node.js';
import * as pure from '../../src/runtime/hmac-pure.js';
import { isSignature } from '../../src/signature/verify-signature.js';
import { describeShared, sharedBytes, sharedText } from '../shared.js';

interface MacVector {
  readonly keyBase64: string;
  readonly keyIsUtf8: boolean;
  readonly msgBase64: string;
  /** The tag to hold against the HMAC: changed or cut where `expectEqualFull` is false. */
  readonly tag: string;
  readonly fullTag: string;
  readonly expectEqualFull: boolean;
}

interface DigitVector {
  readonly keyBase64: string;
  readonly keyIsUtf8: boolean;
  readonly bodyBase64: string;
  readonly timestamp: string;
  readonly signature: string;
}

interface JsonCase {
  readonly file: string;
  readonly length: number;
  readonly secret: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly expect: 'reject' | 'array' | 'reject-not-array' | 'any';
  readonly items?: number;
}

const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
const secretOf = ({ keyBase64 }: { keyBase64: string }) =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(keyBase64));
/** A secret is text, so vectors whose key is no UTF-8 cannot be asked of this library. */
const vectorsOf = <T extends { keyIsUtf8: boolean }>(path: string): T[] =>
  (JSON.parse(sharedText(path)) as { vectors: T[] }).vectors.filter(({ keyIsUtf8 }) => keyIsUtf8);

describe.each([
  ['RFC 4231', 'vectors/rfc4231.json', 4],
  ['Wycheproof', 'vectors/wycheproof-hmac-sha256.json', 108],
] as const)('%s', (name, path, count) => {
  describeShared(`${name} vectors with a key that is text`, path, () => {
    const vectors = vectorsOf<MacVector>(path);

    it(`are ${count}`, () => {
      expect(vectors).toHaveLength(count);
    });

    it.each([
      ['hmac-node', node],
      ['hmac-pure', pure],
    ] as const)('hold for %s', (_, { hmacHex, equalHex }) => {
      for (const vector of vectors) {
        const digest = hmacHex(fromBase64(vector.msgBase64), '', secretOf(vector));
        expect(digest).toBe(vector.fullTag);
        // A tag that was cut never gets this far: it has not the form of a signature.
        if (vector.tag.length === 64) expect(equalHex(digest, vector.tag)).toBe(vector.expectEqualFull);
        else expect(isSignature(vector.tag)).toBe(false);
      }
    });
  });
});

describeShared('Wycheproof vectors with a timestamp', 'vectors/wycheproof-digit-timestamp.json', () => {
  const vectors = vectorsOf<DigitVector>('vectors/wycheproof-digit-timestamp.json');

  it('verify as they are, and with nothing changed', () => {
    expect(vectors).toHaveLength(58);
    for (const vector of vectors) {
      const { signature, timestamp } = vector;
      const body = fromBase64(vector.bodyBase64);
      const secret = secretOf(vector);
      expect(verifySignature(body, signature, timestamp, secret)).toBe(true);
      for (const at of [0, 31, 63]) {
        const tampered = signature.slice(0, at) + (signature[at] === '0' ? '1' : '0') + signature.slice(at + 1);
        expect(verifySignature(body, tampered, timestamp, secret)).toBe(false);
      }
      expect(verifySignature(body, signature, `${timestamp}0`, secret)).toBe(false);
      expect(verifySignature(body, signature, timestamp, `${secret}x`)).toBe(false);
      expect(verifySignature(Uint8Array.of(...body, 0), signature, timestamp, secret)).toBe(false);
    }
  });
});

describeShared('JSONTestSuite', 'vectors/json-test-suite/manifest.json', () => {
  const folder = 'vectors/json-test-suite';
  const { cases } = JSON.parse(sharedText(`${folder}/manifest.json`)) as { cases: JsonCase[] };
  const statuses = { reject: [400], 'reject-not-array': [400], array: [200, 422], any: [200, 400, 422] };

  it('has 318 bodies', () => {
    expect(cases).toHaveLength(318);
  });

  it.each(cases)('$file: $expect', async (testCase) => {
    const { file, secret, signature, timestamp } = testCase;
    const body = sharedBytes(`${folder}/files/${file}`);
    expect(body).toHaveLength(testCase.length);
    // The specification calls an empty body no genuine delivery, whatever its HMAC.
    const genuine = testCase.length > 0;
    expect(verifySignature(body, signature, timestamp, secret)).toBe(genuine);

    let items: unknown;
    try {
      items = parseDelivery(body);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidBodyError);
    }
    if (testCase.expect === 'array') expect(items).toHaveLength(Number(testCase.items));
    else if (testCase.expect !== 'any') expect(items).toBeUndefined();
    else if (items !== undefined) expect(items).toHaveLength(Number(testCase.items));
    // None of the bodies holds an event.
    for (const { status } of (items ?? []) as { status: string }[]) expect(['invalid', 'unknown']).toContain(status);

    const onEvent = () => expect.unreachable('an event came out of a body that holds none');
    const result = await createReceiver({ secret, toleranceSeconds: false, onEvent }).handle({
      rawBody: body,
      signature,
      timestamp,
    });
    expect(genuine ? statuses[testCase.expect] : [403]).toContain(result.status);
    expect(result.status === 400).toBe(genuine && items === undefined);
  });
});

describeShared('the documented sample bodies', 'samples', () => {
  it.each([
    ['event-emitted.json', 'event.emitted', 3749, 2],
    ['transaction-included.json', 'transaction.included', 974, 1],
  ] as const)('%s parses to events that equal what was sent', (file, kind, size, count) => {
    const body = sharedBytes(`samples/${file}`);
    expect(body).toHaveLength(size);
    const sent = JSON.parse(sharedText(`samples/${file}`)) as unknown[];
    const items = parseDelivery(body);
    expect(items).toEqual(sent.map((event) => ({ status: 'event', event })));
    expect(items).toHaveLength(count);
    for (const item of items) expect(item.status === 'event' && item.event.event).toBe(kind);
  });
});
