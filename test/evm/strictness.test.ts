import type { Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { AbiData } from '../../src/evm/abi-data.js';
import { codecOf } from '../../src/evm/codec-of.js';
import { decodeValues } from '../../src/evm/decode-values.js';
import type { Value } from './arbitrary-types.js';
import { ethers, type Outcome, ours, viem } from './differential/decoders.js';

const word = (number: bigint | number) => BigInt(number).toString(16).padStart(64, '0');
const right = (digits: string) => digits.padEnd(64, '0');
const MAX = 2n ** 256n - 1n;
const dirty = `${'12'.repeat(20)}`;
const list = (count: number, place: number) => word(count) + word(place).repeat(count);

/** What each decoder makes of data, and why we do what we do. `no`: it refuses. */
interface Case {
  readonly title: string;
  readonly type: string;
  readonly data: string;
  readonly ours: Value | 'no';
  readonly viem: Value | 'no';
  readonly ethers: Value | 'no';
}

// Refused where a contract would revert, or where the value is in doubt; read where the value is beyond doubt, as a contract
// in assembly, an old compiler or another language may have written it.
const CASES: readonly Case[] = [
  { title: 'bits beyond uint8', type: 'uint8', data: word(0x1ff), ours: 'no', viem: 511n, ethers: 255n },
  { title: 'int8 without its sign', type: 'int8', data: word(0xff), ours: 'no', viem: 255n, ethers: -1n },
  { title: 'a bool of 2', type: 'bool', data: word(2), ours: 'no', viem: 'no', ethers: true },
  {
    ...{ title: 'an address of 21 bytes', type: 'address', data: `${'0'.repeat(22)}01${dirty}` },
    ...{ ours: 'no', viem: `0x${dirty}`, ethers: 'no' },
  },
  {
    ...{ title: 'bytes after bytes4', type: 'bytes4', data: `c0de5afe${'f'.repeat(56)}` },
    ...{ ours: '0xc0de5afe', viem: '0xc0de5afe', ethers: '0xc0de5afe' },
  },
  {
    ...{ title: 'padding that is not zero', type: 'bytes', data: word(32) + word(1) + 'f'.repeat(64) },
    ...{ ours: '0xff', viem: '0xff', ethers: '0xff' },
  },
  {
    ...{ title: 'padding that is absent at the end', type: 'bytes', data: `${word(32)}${word(1)}ab` },
    ...{ ours: '0xab', viem: '0xab', ethers: '0xab' },
  },
  { title: 'data after the values', type: 'uint8', data: `${word(7)}00ff`, ours: 7n, viem: 7n, ethers: 7n },
  {
    ...{ title: 'an offset between words', type: 'bytes', data: `${word(33)}00${word(1)}${right('ab')}` },
    ...{ ours: '0xab', viem: '0xab', ethers: '0xab' },
  },
  { title: 'an offset to itself', type: 'uint8[]', data: word(0) + word(0), ours: [], viem: [], ethers: [] },
  {
    ...{ title: 'one text for two elements', type: 'string[]', data: word(32) + list(2, 64) + word(1) + right('61') },
    ...{ ours: ['a', 'a'], viem: ['a', 'a'], ethers: ['a', 'a'] },
  },
  { title: 'an offset beyond the data', type: 'bytes', data: word(64) + word(0), ours: 'no', viem: 'no', ethers: 'no' },
  { title: 'an offset of 2^256 - 1', type: 'bytes', data: word(MAX) + word(0), ours: 'no', viem: 'no', ethers: 'no' },
  {
    ...{ title: 'a length of one too many', type: 'uint8[]', data: word(32) + word(2) + word(1) },
    ...{ ours: 'no', viem: 'no', ethers: 'no' },
  },
  {
    ...{ title: 'a length of 2^255', type: 'bytes', data: word(32) + word(2n ** 255n) },
    ...{ ours: 'no', viem: 'no', ethers: 'no' },
  },
  { title: 'half a word', type: 'uint8', data: '00'.repeat(16), ours: 'no', viem: 'no', ethers: 'no' },
  {
    ...{ title: 'text that is not UTF-8', type: 'string', data: word(32) + word(1) + right('ff') },
    ...{ ours: '\uFFFD', viem: '\uFFFD', ethers: 'no' },
  },
  {
    ...{ title: 'a byte order mark', type: 'string', data: word(32) + word(4) + right('efbbbf61') },
    ...{ ours: '\uFEFFa', viem: 'a', ethers: '\uFEFFa' },
  },
];

const firstOf = (outcome: Outcome) => ('values' in outcome ? (outcome.values as readonly Value[])[0] : 'no');
const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);

describe('data that no compiler writes', () => {
  it.each(CASES)('is read as a decision says: $title', ({ type, data, ...expected }) => {
    const read = (decoder: typeof ours) => lower(firstOf(decoder([{ name: '', type }])(`0x${data}` as Hex)));
    expect({ ours: read(ours), viem: read(viem), ethers: read(ethers) }).toEqual({
      ours: lower(expected.ours),
      viem: lower(expected.viem),
      ethers: lower(expected.ethers),
    });
  });

  it('is refused once it repeats itself more than 8 times, where viem and ethers read it', () => {
    const params = [{ name: '', type: 'bytes[]' }];
    const repeated = (count: number): Hex => {
      return `0x${word(32)}${list(count, 32 * count)}${word(3200)}${'ab'.repeat(3200)}`;
    };
    expect(ours(params)(repeated(8))).toEqual({ values: [Array(8).fill(`0x${'ab'.repeat(3200)}`)] });
    expect(ours(params)(repeated(9))).toEqual({ refused: 'repeats other values of the data too often.' });
    for (const decoder of [viem, ethers]) expect(decoder(params)(repeated(9))).toHaveProperty('values');
  });

  it.each([
    ['orders[1].amount: is out of range for uint8.', word(1) + word(7) + word(1) + word(256)],
    ['orders[0].open: is neither true nor false.', word(2) + word(7) + word(1) + word(8)],
    ['orders: is not a value of its type: the data ends before it.', word(1) + word(7)],
  ])('is refused with its path: %s', (message, elements) => {
    const components = [
      { name: 'open', type: 'bool' },
      { name: 'amount', type: 'uint8' },
    ];
    const orders = { codec: codecOf({ type: 'tuple[]', components }), label: 'orders' };
    const fail = (input: string, reason: string) => new Error(`${input}: ${reason}`);
    const data = new AbiData(`0x${word(32)}${word(2)}${elements}`);
    expect(() => decodeValues([orders], data, fail)).toThrow(message);
  });
});
