import { bytesToHex, type Hex, hexToBytes, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { fc } from '../fixtures/property.js';
import { emissionOf, emissions, emitted } from './arbitrary.js';
import type { Value } from './arbitrary-types.js';
import { moved, withData } from './hostile-event.js';
import { outcome, refusalOf } from './refusal.js';
import { expectSame } from './same.js';

const word = (number: bigint | number) => numberToHex(number, { size: 32 }).slice(2);
const MAX = 2n ** 256n - 1n;

describe('data of a log', { timeout: 60_000 }, () => {
  const { data } = moved.log;

  it('is refused wherever it is cut off, unless only padding is missing', () => {
    for (let end = 2; end < data.length; end += 2) expectSame(moved, data.slice(0, end));
    for (let words = 0; words < (data.length - 2) / 64; words++)
      refusalOf(withData(data.slice(0, 2 + 64 * words)), moved.abi);
  });

  it('is refused with any word of it replaced by a hostile one, or decodes to the same', () => {
    const size = BigInt(data.length - 2) / 2n;
    const hostile = [
      0n,
      1n,
      31n,
      32n,
      size - 32n,
      size - 1n,
      size,
      size + 1n,
      2n ** 31n,
      2n ** 32n,
      2n ** 53n,
      2n ** 64n,
      2n ** 255n,
      MAX,
      MAX - 31n,
    ];
    for (let at = 2; at < data.length; at += 64) {
      const itself = BigInt(at - 2) / 2n;
      for (const number of [...hostile, itself, itself + 32n]) {
        expectSame(moved, data.slice(0, at) + word(number) + data.slice(at + 64));
      }
    }
  });

  it('is refused with any of its bytes changed, or decodes to the same', () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.oneof(fc.constant(moved), emissions), flips, fc.nat(), (emission, changes, cut) => {
        const bytes = hexToBytes(emission.log.data);
        fc.pre(bytes.length > 0);
        for (const [at, flip] of changes) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ flip;
        expectSame(emission, bytesToHex(bytes));
        expectSame(emission, emission.log.data.slice(0, 2 + 2 * (cut % bytes.length)));
      }),
      { numRuns: 400 },
    );
  });
});

/** What a decoder that looks at no range makes of a word, as text. */
const naive = (type: string, hex: string) =>
  type.startsWith('int') ? String(BigInt.asIntN(256, BigInt(hex))) : String(BigInt(hex));

describe('a word that is not a value of its type', () => {
  const dirty: [type: string, number: bigint, clean: string][] = [
    ['uint8', 0x1ffn, '255'],
    ['uint48', 2n ** 48n, '0'],
    ['uint56', 2n ** 56n, '0'],
    ['uint128', 2n ** 128n + 5n, '5'],
    ['uint248', MAX, String(2n ** 248n - 1n)],
    ['int8', MAX - 128n, '127'],
    ['int248', 2n ** 247n, String(-(2n ** 247n))],
    ['bool', 2n, 'true'],
    ['bool', 256n, 'false'],
  ];
  const place = (
    type: string,
    hex: Hex,
    value: string,
    indexed: boolean,
    real: Value = type === 'bool' ? true : 1n,
  ) => {
    const base = emissionOf({ name: 'only', type, indexed }, real);
    const log = indexed ? { ...base.log, topics: [...base.log.topics.slice(0, 1), hex] } : { ...base.log, data: hex };
    return { event: emitted(base, [{ name: 'only', value, hashed: false, type }], JSON.stringify(log)), abi: base.abi };
  };

  it.each(dirty)(
    'is refused as %s: %s, whether the inputs say what is left of it or all of it',
    (type, number, clean) => {
      const hex = numberToHex(number, { size: 32 });
      for (const indexed of [false, true]) {
        for (const value of [clean, naive(type, hex), hex]) {
          const { event, abi } = place(type, hex, value, indexed);
          expect(refusalOf(event, abi)).toMatchObject({ code: 'ERR_WEBHOOK_DECODE', input: 'only' });
        }
      }
    },
  );

  it('is refused where an address has more than 20 bytes, as a contract that checks its input would', () => {
    for (const hex of [`0x${'0'.repeat(23)}1${'12'.repeat(20)}`, `0x${'f'.repeat(64)}`] as const) {
      for (const indexed of [false, true]) {
        const { event, abi } = place('address', hex, `0x${hex.slice(26)}`, indexed, `0x${'12'.repeat(20)}`);
        expect(refusalOf(event, abi)).toMatchObject({ code: 'ERR_WEBHOOK_DECODE', input: 'only' });
      }
    }
  });

  it('is refused, or cut to its size, where bytes are followed by others', () => {
    for (const indexed of [false, true]) {
      const { event, abi } = place('bytes4', `0xc0de5afe${'00'.repeat(27)}01`, '0xc0de5afe', indexed, '0xc0de5afe');
      const { decoded } = outcome(event, abi);
      if (decoded) expect(decoded.args).toEqual({ only: '0xc0de5afe' });
    }
  });
});
