import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/types.js';
import { codecOf } from '../../src/evm/codec-of.js';
import { Problem } from '../../src/evm/decode-error.js';

const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const [LOWER, UPPER] = [BOB.toLowerCase(), `0x${BOB.slice(2).toUpperCase()}`];
const struct = (...names: string[]) => ({
  type: 'tuple',
  components: names.map((name, at) => ({ name, type: ['uint8', 'string'][at] ?? 'bool' })),
});
type Type = string | ReturnType<typeof struct>;
const codec = (type: Type) => codecOf((typeof type === 'string' ? { type } : type) as never);

/** The path and the reason with which a value is refused. */
function problem(type: Type, wire: unknown): string {
  try {
    codec(type).fromWire(wire as JsonValue);
  } catch (error) {
    if (error instanceof Problem) return `${error.path}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

const READ: readonly (readonly [type: Type, wire: JsonValue, value: unknown])[] = [
  ['uint8', '255', 255],
  ['uint8', '0xfF', 255],
  ['uint8', 255, 255],
  ['int8', '-128', -128],
  ['int8', '-0x80', -128],
  ['int8', '127', 127],
  ['uint48', String(2n ** 48n - 1n), 2 ** 48 - 1],
  ['uint56', '1', 1n],
  ['uint256', Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n],
  ['uint256', 5n as never, 5n],
  ['uint256', String(2n ** 256n - 1n), 2n ** 256n - 1n],
  ['uint256', `0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ['bool', true, true],
  ['bool', false, false],
  ['bool', 'true', true],
  ['bool', 'false', false],
  ['address', BOB, BOB],
  ['address', LOWER, BOB],
  ['address', UPPER, BOB],
  ['bytes', '0xABcd', '0xabcd'],
  ['bytes', '0x', '0x'],
  ['bytes2', '0xABcd', '0xabcd'],
  ['string', '', ''],
  ['string', 'text', 'text'],
  ['uint8[]', '[1,"2"]', [1, 2]],
  ['uint8[]', [1, '2'], [1, 2]],
  ['uint8[]', '[1.0,10e-1]', [1, 1]],
  ['uint8[]', [], []],
  ['uint8[2]', ['1', '2'], [1, 2]],
  ['uint256[]', '[123456789012345678901]', [123_456_789_012_345_678_901n]],
  [struct('kind', 'note'), ['1', 'x'], { kind: 1, note: 'x' }],
  [struct('kind', 'note'), { note: 'x', kind: 1 }, { kind: 1, note: 'x' }],
  [struct('kind', 'note'), '{"note":"x","kind":1}', { kind: 1, note: 'x' }],
  [struct('kind', ''), '[1,"x"]', [1, 'x']],
];

const CONVERTED = ': is a decimal or a time, but its type is an integer.';
const integer = (type: string) => `: must be an integer for ${type}, in decimal digits or hex.`;
const ADDRESS = ': must be an address: 0x and 40 hex digits.';
const BOOL = ': must be true or false.';
const LIST = ': must be an array of any number of elements, in JSON or JSON text.';
const TWO = ': must be an array of 2 elements, in JSON or JSON text.';
const STRUCT = ': must be a tuple of 2 components: an array or an object, in JSON or JSON text.';
const CHECKSUM = ': is an address with a wrong checksum, so at least one character is wrong.';
const over = (bits: number) => String(2n ** BigInt(bits));
const TIME = '2026-01-02T03:04:05Z';

const REFUSED: readonly (readonly [type: Type, wires: readonly unknown[], reason: unknown])[] = [
  ['uint8', ['256', '-1', 256, '0x100'], ': is out of range for uint8.'],
  ['int8', ['128', '-129'], ': is out of range for int8.'],
  ['uint48', [over(48), '-1', 2 ** 48], ': is out of range for uint48.'],
  ['uint56', [over(56), '-1', -1], ': is out of range for uint56.'],
  ['int48', [over(47), `-${2n ** 47n + 1n}`], ': is out of range for int48.'],
  ['uint256', [over(256), '-1'], ': is out of range for uint256.'],
  ['int256', [over(255), `-${2n ** 255n + 1n}`, `0x${'f'.repeat(64)}`], ': is out of range for int256.'],
  [
    'uint8',
    '0x|0xg|-|--1|+1|1 | 1|1n|0b1|0o7|1_0|1,0|١|NaN|Infinity|-0x|null|5.|1.5.5|0x1.8'.split('|'),
    integer('uint8'),
  ],
  ['uint8', ['', 'x', 'x0x5', '0x5x', '5x', 'x5', null, true, ['5'], {}], integer('uint8')],
  ['uint8', ['x1.5', '1.5x', 'x.5', '1.x', ['1.5'], [TIME], `x${TIME}`, `${TIME}x`, '1e400'], integer('uint8')],
  ['uint256', [`0x1${'0'.repeat(64)}`, 2 ** 53, 1e300, Number.POSITIVE_INFINITY], integer('uint256')],
  ['uint8', ['1.5', '-1.5', '12.5', '1.55', 1.5, -0.5, TIME], CONVERTED],
  ['bool', ['1', 1, 'True', null, [true], ''], BOOL],
  ['address', [[BOB], 1, null, BOB.slice(2), BOB.slice(0, -1), `x${BOB}`, `${BOB}00`], ADDRESS],
  ['address', [BOB.replace('dc3A', 'Dc3A'), BOB.replace('C8', 'c8')], CHECKSUM],
  ['bytes', ['', '0xa', '0xgg', 'ab', 'xx0xab', '0xab ', 1, null, ['0xab']], ': must be hex text of whole bytes.'],
  ['bytes2', ['0xab', '0xabcdef', '0xabc', ['0xabcd']], ': must be hex text of 2 bytes.'],
  ['bool', ['0', 'yes', 'TRUE', ' true', '0x1', 0], BOOL],
  ['address', ['', '0x', ` ${BOB}`, `${BOB}\n`, BOB.replace('c', 'g')], ADDRESS],
  // The checksum of EIP-1191 for another chain.
  ['address', ['0x70997970c51812Dc3a010c7d01b50e0d17dc79c8', BOB.replace('0x', '0X')], CHECKSUM],
  ['bytes32', [`0x${'ab'.repeat(31)}`, `0x${'ab'.repeat(33)}`], ': must be hex text of 32 bytes.'],
  ['uint8[]', ['[', '[1,]', '[1]x', '[01]', 'true', { length: 1, 0: 1 }, '{"0":1,"length":1}'], LIST],
  [struct('kind', 'note'), ['', '[]', '{}', '["1"]', '{"kind":1}', '{"__proto__":{"kind":1,"note":"x"}}'], STRUCT],
  ['string', [1, null, true, ['x'], {}], ': must be text.'],
  ['uint8[]', ['', '[1', '[1.5', '5', '{}', 'null', '"[1]"', 5, null, {}, true], LIST],
  ['uint8[2]', [[1], [1, 2, 3], '[1]', 'x'], TWO],
  ['uint8[]', [[1, 'x'], '[1,"x"]'], '[1]: must be an integer for uint8, in decimal digits or hex.'],
  ['uint8[]', ['[1.00000000000000000001]', '[0.99999999999999999999]'], expect.stringMatching(/^\[0\]: is a decimal /)],
  ['uint8[][]', [[[1], [1, 256]]], '[1][1]: is out of range for uint8.'],
  [struct('kind', 'note'), [[1], ['1', 'x', 'x'], { kind: 1 }, null, 'x', '5', 5], STRUCT],
  [
    struct('kind', 'note'),
    [
      { kind: 1, other: 'x' },
      { kind: 1, note: 'x', more: 1 },
    ],
    STRUCT,
  ],
  [struct('kind', ''), [{ kind: 1, '': 'x' }], STRUCT],
  [struct('kind', 'note'), [{ kind: 256, note: 'x' }, [256, 'x']], '.kind: is out of range for uint8.'],
  [struct('kind', ''), [[1, 1]], '.1: must be text.'],
  // Text has a length, and as many keys.
  [struct('length'), ['"a"'], expect.stringMatching(/^: must be a tuple of 1 components/)],
];

describe('the value of an input', () => {
  it.each(READ)('of type %j is read from %s as %s', (type, wire, value) => {
    expect(codec(type).fromWire(wire)).toStrictEqual(value);
  });

  it.each(REFUSED)('of type %s is refused: %s', (type, wires, reason) => {
    for (const wire of wires) expect({ wire, reason: problem(type, wire) }).toEqual({ wire, reason });
  });
});
