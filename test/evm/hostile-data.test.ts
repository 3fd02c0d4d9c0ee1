import { type Hex, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { emissionOf, emitted } from './arbitrary.js';
import type { Value } from './arbitrary-types.js';
import { outcome, refusalOf } from './refusal.js';

const MAX = 2n ** 256n - 1n;

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
