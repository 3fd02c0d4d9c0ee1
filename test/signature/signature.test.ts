import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  InvalidBodyError,
  isWebhookError,
  multibaasHeaders,
  parseDelivery,
  serviceHeaders,
  signDelivery,
  verifySignature,
} from '../../src/index.js';
import { isSignature, isTimestamp } from '../../src/signature/verify-signature.js';
import { hostileValues } from '../fixtures/hostile.js';
import { fc } from '../fixtures/property.js';
import { bytes, cases, type Verify, vectors } from './signature.cases.js';

const verify = verifySignature as Verify;
const SECRET = 'whsec-test';

const timestamps = fc.oneof(
  fc.constant('0'),
  fc.bigInt({ min: 1n, max: 9_999_999_999_999_999n }).map((number) => String(number)),
);
const bodies = fc.uint8Array({ minLength: 1, maxLength: 300 });
const secrets = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });

describe('verifySignature', () => {
  it.each(cases)('gives $expected for $name', ({ args, expected }) => {
    expect(verify(...args)).toBe(expected);
  });

  it.each([
    ['body', 0],
    ['signature', 1],
    ['timestamp', 2],
    ['secret', 3],
  ] as const)('gives false for whatever is passed as %s, and never throws', (_, position) => {
    const genuine: readonly unknown[] = [
      '[]',
      signDelivery('[]', { secret: SECRET, timestamp: 1 }).signature,
      '1',
      SECRET,
    ];
    expect(verify(...genuine)).toBe(true);
    for (const [name, value] of hostileValues) expect(verify(...genuine.with(position, value)), name).toBe(false);
  });

  it('gives false for the same hostile value everywhere, and for no arguments', () => {
    for (const [name, value] of hostileValues) expect(verify(value, value, value, value), name).toBe(false);
    expect(verify()).toBe(false);
  });

  it('gives false for a hostile value among several secrets, and goes on to the next', () => {
    const { signature } = signDelivery('[]', { secret: SECRET, timestamp: 1 });
    for (const [name, value] of hostileValues) {
      expect(verify('[]', signature, '1', [value]), name).toBe(false);
      expect(verify('[]', signature, '1', [value, SECRET]), name).toBe(true);
    }
  });

  it('takes bytes and arrays of another realm', () => {
    const { signature } = signDelivery('[]', { secret: SECRET, timestamp: 1 });
    const view: unknown = runInNewContext('new Uint8Array([91, 93])');
    const buffer: unknown = runInNewContext('new Uint8Array([91, 93]).buffer');
    expect(view).not.toBeInstanceOf(Uint8Array);
    expect(buffer).not.toBeInstanceOf(ArrayBuffer);
    expect(verify(view, signature, '1', runInNewContext('["other", "whsec-test"]'))).toBe(true);
    expect(verify(buffer, signature, '1', SECRET)).toBe(true);
  });

  it('refuses an object that only calls itself an ArrayBuffer', () => {
    const { signature } = signDelivery('[]', { secret: SECRET, timestamp: 1 });
    const impostor = { [Symbol.toStringTag]: 'ArrayBuffer', length: 2, 0: 91, 1: 93 };
    expect(verify(impostor, signature, '1', SECRET)).toBe(false);
  });

  it('takes what signDelivery signed, whatever the bytes', () => {
    fc.assert(
      fc.property(bodies, timestamps, secrets, (body, timestamp, secret) => {
        const { signature } = signDelivery(body, { secret, timestamp });
        return (
          verifySignature(body, signature, timestamp, secret) &&
          verifySignature(body, signature, timestamp, ['x', secret])
        );
      }),
    );
  });

  it('takes text for its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), secrets, (text, secret) => {
        const { signature } = signDelivery(text, { secret, timestamp: 1 });
        return verifySignature(new TextEncoder().encode(text), signature, '1', secret);
      }),
    );
  });

  it('refuses any change of one bit', () => {
    const ascii = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
    fc.assert(
      fc.property(bodies, timestamps, ascii, fc.nat(), (body, timestamp, secret, at) => {
        const { signature } = signDelivery(body, { secret, timestamp });
        const flipped = (from: Uint8Array) =>
          from.with((at >> 3) % from.length, Number(from.at((at >> 3) % from.length)) ^ (1 << (at & 7)));
        const flippedText = (from: string) => Buffer.from(flipped(new TextEncoder().encode(from))).toString('latin1');
        const otherDigest = Buffer.from(flipped(bytes(signature))).toString('hex');
        expect(verifySignature(flipped(body), signature, timestamp, secret)).toBe(false);
        expect(verifySignature(body, otherDigest, timestamp, secret)).toBe(false);
        expect(verifySignature(body, signature, flippedText(timestamp), secret)).toBe(false);
        expect(verifySignature(body, signature, timestamp, flippedText(secret))).toBe(false);
        // The bit that makes a letter a capital is the one that does not count.
        const text = flippedText(signature);
        expect(verifySignature(body, text, timestamp, secret)).toBe(text.toLowerCase() === signature);
      }),
    );
  });

  it('gives false for arbitrary values, and never throws', () => {
    const anything = fc.oneof(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withTypedArray: true,
        withSparseArray: true,
      }),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[0-9a-fA-F]{64}$/),
      timestamps,
    );
    fc.assert(fc.property(anything, anything, anything, anything, (...args) => verify(...args) === false));
  });
});

describe('isSignature and isTimestamp', () => {
  it('refuse whatever is no text, and never throw', () => {
    const noText = hostileValues.filter(([, value]) => typeof value !== 'string');
    for (const [name, value] of noText) {
      expect(isSignature(value), name).toBe(false);
      expect(isTimestamp(value), name).toBe(false);
    }
  });
});

describe('a captured delivery', () => {
  /** Whether a receiver would go on with it: verified, and a JSON array. */
  function handled(body: Uint8Array, signature: string, timestamp: string): boolean {
    if (!verifySignature(body, signature, timestamp, SECRET)) return false;
    try {
      parseDelivery(body);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidBodyError);
      return false;
    }
  }

  it('is handled at no other split of body and timestamp', () => {
    const space = fc.constantFrom('', ' ', '\n', '\t', '  ');
    const json = fc.tuple(fc.array(fc.jsonValue()), space).map(([value, after]) => JSON.stringify(value) + after);
    fc.assert(
      fc.property(json, timestamps, (body, timestamp) => {
        const { signature } = signDelivery(body, { secret: SECRET, timestamp });
        const whole = new TextEncoder().encode(body + timestamp);
        const splits = Array.from(whole.keys()).filter((at) =>
          handled(whole.subarray(0, at), signature, Buffer.from(whole.subarray(at)).toString('latin1')),
        );
        expect(splits).toEqual([whole.length - timestamp.length]);
      }),
    );
  });

  it('verifies with digits moved into the body, which is then no JSON array', () => {
    const { signature } = signDelivery('[]', { secret: SECRET, timestamp: '1699582290' });
    expect(verifySignature('[]1', signature, '699582290', SECRET)).toBe(true);
    expect(() => parseDelivery('[]1')).toThrow(InvalidBodyError);
  });

  it('does not verify with the end of the body moved into the timestamp', () => {
    const { signature } = signDelivery('[1] ', { secret: SECRET, timestamp: '2' });
    expect(verifySignature('[1]', signature, ' 2', SECRET)).toBe(false);
    expect(verifySignature('[1', signature, '] 2', SECRET)).toBe(false);
  });
});

describe('signDelivery', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(vectors)('signs as openssl and Python do: %s at %s', (body, timestamp, secret, signature) => {
    const raw = bytes(body);
    const signed = signDelivery(raw, { secret, timestamp });
    expect(signed).toEqual({
      rawBody: raw,
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Signature': signature,
        'X-Service-Timestamp': timestamp,
      },
      signature,
      timestamp,
    });
    expect(signed.rawBody).toBe(raw);
  });

  it('uses the header names that it is given, and by default those of the specification', () => {
    const names = (headers: Record<string, string>) => Object.keys(headers).slice(1);
    expect(names(signDelivery('[]', { secret: SECRET }).headers)).toEqual(Object.values(serviceHeaders));
    const live = signDelivery('[]', { secret: SECRET, headers: multibaasHeaders });
    expect(names(live.headers)).toEqual(['X-MultiBaas-Signature', 'X-MultiBaas-Timestamp']);
  });

  it('signs for the present second by default, and takes a number of seconds', () => {
    vi.useFakeTimers({ now: 1_699_582_290_999 });
    expect(signDelivery('[]', { secret: SECRET }).timestamp).toBe('1699582290');
    expect(signDelivery('[]', { secret: SECRET, timestamp: 0 }).timestamp).toBe('0');
  });

  const body = '`signDelivery` needs a body that is not empty: bytes or a well-formed string.';
  const noSecret = '`secret` must be a non-empty string.';
  const time = '`timestamp` must be whole Unix seconds of at most 16 digits.';
  it.each([
    ['an empty body', '', { secret: SECRET }, body],
    ['a number as its body', 7, { secret: SECRET }, body],
    ['a lone surrogate', '\ud800', { secret: SECRET }, body],
    ['an empty secret', '[]', { secret: '' }, noSecret],
    ['several secrets', '[]', { secret: [SECRET] }, noSecret],
    ['milliseconds with a fraction', '[]', { secret: SECRET, timestamp: 1.5 }, time],
    ['a negative time', '[]', { secret: SECRET, timestamp: -1 }, time],
    ['a number written with an exponent', '[]', { secret: SECRET, timestamp: 1e21 }, time],
    ['a timestamp with a zero in front', '[]', { secret: SECRET, timestamp: '01' }, time],
    ['a date', '[]', { secret: SECRET, timestamp: new Date(0) }, time],
    ['no options', '[]', undefined, noSecret],
  ])('throws ConfigError for %s', (_, rawBody, options, message) => {
    const sign = signDelivery as (rawBody: unknown, options: unknown) => unknown;
    expect(() => sign(rawBody, options)).toThrow(
      expect.toSatisfy(
        (error) => isWebhookError(error) && error.code === 'ERR_WEBHOOK_CONFIG' && error.message === message,
      ),
    );
  });
});
