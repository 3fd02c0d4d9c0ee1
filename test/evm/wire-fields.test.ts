import { describe, expect, it } from 'vitest';
import { bytesOf, isHash, WireFields } from '../../src/evm/hex.js';

const HASH = `0x${'aB'.repeat(32)}`;
const ADDRESS = `0x${'aB'.repeat(20)}`;
const fields = (value: unknown) =>
  new WireFields({ key: value }, (key, expected) => {
    throw new Error(`${key}: ${expected}`);
  });

/** The anchors of the patterns, and what else a field could be. */
const around = (text: string) => [`x${text}`, `xx${text}`, `${text}x`, `${text}0x`, `${text}\n`, [text], null, -1, ''];

describe('a field', () => {
  it.each([
    ['hash', HASH, HASH.toLowerCase(), [ADDRESS, `${HASH}00`], 'a hash: 0x and 64 hex digits'],
    ['address', ADDRESS, ADDRESS.toLowerCase(), [HASH, `${ADDRESS}0`], 'an address: 0x and 40 hex digits'],
    ['bytes', '0xaBc0', '0xabc0', ['0xg0', '0'], 'bytes as hex text'],
    ['quantity', '0x0Ff', 255n, ['0x', '255', `0x${'0'.repeat(65)}`], 'a quantity as hex text'],
  ] as const)('that is a %s is read from %j as %s', (kind, wire, value, wrong, expected) => {
    expect(fields(wire)[kind]('key')).toBe(value);
    for (const each of [...wrong, ...around(wire)]) expect(() => fields(each)[kind]('key')).toThrow(`key: ${expected}`);
  });

  it('that is a quantity may be a safe JSON number', () => {
    expect([0, 255, Number.MAX_SAFE_INTEGER].map((each) => fields(each).quantity('key'))).toEqual([
      0n,
      255n,
      9_007_199_254_740_991n,
    ]);
    for (const each of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 1n, true]) {
      expect(() => fields(each).quantity('key')).toThrow('key: a quantity as hex text');
    }
  });

  it('that is not needed is undefined where it cannot be read', () => {
    const read = (value: unknown) => {
      const each = fields(value);
      return each.unneeded('key', each.quantity);
    };
    expect([undefined, null, '', '0x', '1', {}, [], true, -1].map(read)).toEqual(new Array(9).fill(undefined));
    expect(['0x1', 1].map(read)).toEqual([1n, 1n]);
  });

  it('that is a position fits a number', () => {
    expect(fields('0x1fffffffffffff').position('key')).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => fields('0x20000000000000').position('key')).toThrow('key: a position in a block');
  });

  it('of bytes has whole bytes', () => {
    expect(() => fields('0xabc').bytes('key')).toThrow('key: an even number of hex digits');
  });

  it('may be absent or null if it is optional', () => {
    const read = (value: unknown) => {
      const each = fields(value);
      return each.optional('key', each.quantity);
    };
    expect([read(undefined), read(null), read('0x1')]).toEqual([undefined, null, 1n]);
    expect(() => read('1')).toThrow('key: a quantity as hex text');
  });
});

describe('hex text', () => {
  it('is a hash by its form', () => {
    expect([HASH, ...around(HASH)].map(isHash)).toEqual([true, ...around(HASH).map(() => false)]);
  });

  it('is bytes, digit by digit', () => {
    const hex = `0x${Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join('')}` as const;
    expect(bytesOf(hex)).toEqual(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    expect(bytesOf('0x')).toEqual(new Uint8Array());
  });
});
