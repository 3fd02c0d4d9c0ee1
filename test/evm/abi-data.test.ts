import { type AbiParameter, encodeAbiParameters, size } from 'viem';
import { describe, expect, it } from 'vitest';
import { AbiData } from '../../src/evm/abi-data.js';
import { decodeValues } from '../../src/evm/codec.js';
import { codecOf } from '../../src/evm/codec-of.js';
import { arrayCodec } from '../../src/evm/composite-codecs.js';

const word = (number: bigint | number) => BigInt(number).toString(16).padStart(64, '0');
const right = (digits: string) => digits.padEnd(64, '0');
const fail = (input: string, reason: string) => new Error(`${input}: ${reason}`);
const ENDS = 'is not a value of its type: the data ends before it.';
const REPEATS = 'repeats other values of the data too often.';
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('data', () => {
  it('gives what is part of it, and nothing beyond its end', () => {
    const data = new AbiData(`0x${word(1)}${word(2)}`);
    data.claim(32, 32);
    expect(data.position(32)).toBe(2);
    for (const [at, length] of [
      [33, 32],
      [0, 65],
      [64, 1],
    ] as const) {
      expect(() => data.claim(at, length)).toThrow(ENDS);
    }
  });

  it('of a call starts after the selector', () => {
    const data = new AbiData(`0xa9059cbb${word(7)}`, 10);
    data.claim(0, 32);
    expect(data.position(0)).toBe(7);
    expect(() => data.claim(0, 33)).toThrow(ENDS);
  });

  it('may be claimed 8 times, counted in words', () => {
    const data = new AbiData(`0x${word(1)}`);
    for (let times = 1; times <= 8; times++) {
      data.claim(0, 1);
      expect(data.claimed).toBe(32 * times);
    }
    expect(() => data.claim(0, 1)).toThrow(REPEATS);
  });
});

const tuple = (...types: string[]) => ({
  type: 'tuple',
  components: types.map((type, at) => ({ name: `c${at}`, type })),
});
const named = (...values: unknown[]) => Object.fromEntries(values.map((value, at) => [`c${at}`, value]));
const times =
  (count: number) =>
  <T>(value: T): T[] =>
    new Array<T>(count).fill(value);

/** A parameter and its value. */
const VALUES: readonly (readonly [param: { type: string; components?: readonly object[] }, value: unknown])[] = [
  [{ type: 'bool' }, true],
  [{ type: 'bool' }, false],
  [{ type: 'address' }, BOB],
  [{ type: 'uint8' }, 255],
  [{ type: 'int8' }, -128],
  [{ type: 'int8' }, 127],
  [{ type: 'uint48' }, 2 ** 48 - 1],
  [{ type: 'int48' }, -(2 ** 47)],
  [{ type: 'uint56' }, 2n ** 56n - 1n],
  [{ type: 'int56' }, -(2n ** 55n)],
  [{ type: 'uint256' }, 2n ** 256n - 1n],
  [{ type: 'int256' }, -(2n ** 255n)],
  [{ type: 'bytes4' }, '0xc0de5afe'],
  [{ type: 'bytes' }, '0x0a9f'],
  [{ type: 'bytes' }, `0x${'ab'.repeat(33)}`],
  [{ type: 'string' }, 'äöü 99'],
  [{ type: 'uint8[]' }, [1, 2, 3]],
  [{ type: 'uint8[]' }, []],
  [{ type: 'uint8[2]' }, [1, 2]],
  [{ type: 'uint8[2][]' }, [times(2)(1), times(2)(2)]],
  [{ type: 'string[2]' }, ['a', 'b']],
  [{ type: 'string[][2]' }, [['a', 'b'], ['c']]],
  [tuple('uint8', 'uint8[2]'), named(7, [8, 9])],
  [tuple('uint8', 'string'), named(7, 'text')],
  [tuple('string', 'uint8', 'bytes[]'), named('text', 7, ['0x12', '0x'])],
  [{ ...tuple('uint8', 'string'), type: 'tuple[2]' }, [named(7, 'a'), named(8, 'b')]],
  [{ ...tuple('uint8', 'bool'), type: 'tuple[]' }, [named(7, true), named(8, false)]],
  [{ type: 'tuple', components: [{ name: 'a', type: 'uint8' }, { type: 'bool' }] }, [7, true]],
];

describe('a value', () => {
  it.each(VALUES)('of type %s is decoded to %s, and its data is claimed once', (param, value) => {
    const params = [param, { type: 'uint16' }] as readonly AbiParameter[];
    const hex = encodeAbiParameters(params, [value, 4711]);
    const data = new AbiData(hex);
    const inputs = params.map((each, at) => ({ codec: codecOf(each), label: `#${at}` }));
    expect(decodeValues(inputs, data, fail)).toStrictEqual([value, 4711]);
    expect(data.claimed).toBe(size(hex));
  });

  // What a contract in assembly, an old compiler or another language may have written: read where it is beyond doubt.
  it.each([
    ['bytes4', `c0de5afe${'f'.repeat(56)}`, '0xc0de5afe', 'bytes after it'],
    [
      'function',
      right('ab'.repeat(24)),
      `0x${'ab'.repeat(24)}`,
      'an address and a selector, which viem does not encode',
    ],
    ['bytes', word(32) + word(1) + 'f'.repeat(64), '0xff', 'padding that is not zero'],
    ['bytes', `${word(32)}${word(1)}ab`, '0xab', 'no padding at the end'],
    ['uint8', `${word(7)}00ff`, 7, 'data after it'],
    ['bytes', `${word(33)}00${word(1)}${right('ab')}`, '0xab', 'an offset between words'],
    ['uint8[]', word(0) + word(0), [], 'an offset to itself'],
    ['string[]', word(32) + word(2) + word(64).repeat(2) + word(1) + right('61'), ['a', 'a'], 'one text twice'],
    ['string', word(32) + word(1) + right('ff'), '\uFFFD', 'bytes that are not UTF-8'],
    ['string', word(32) + word(4) + right('efbbbf61'), '\uFEFFa', 'a byte order mark'],
  ])('of type %s is read from %s as %j: it has %s', (type, data, value, _has) => {
    const inputs = [{ codec: codecOf({ type } as AbiParameter), label: 'a' }];
    expect(decodeValues(inputs, new AbiData(`0x${data}`), fail)).toStrictEqual([value]);
  });

  it('is refused once its data repeats itself more than 8 times', () => {
    const inputs = [{ codec: codecOf({ type: 'bytes[]' }), label: 'a' }];
    const read = (count: number) => {
      const data = word(32) + word(count) + word(32 * count).repeat(count) + word(3200) + 'ab'.repeat(3200);
      return decodeValues(inputs, new AbiData(`0x${data}`), fail);
    };
    expect(read(8)).toEqual([Array(8).fill(`0x${'ab'.repeat(3200)}`)]);
    expect(() => read(9)).toThrow(REPEATS);
  });

  it.each([
    ['orders[1].amount: is out of range for uint8.', word(1) + word(7) + word(1) + word(256)],
    ['orders[0].open: is neither true nor false.', word(2) + word(7) + word(1) + word(8)],
    [`orders: ${ENDS}`, word(1) + word(7)],
  ])('in a list of structs is refused with its path: %s', (message, elements) => {
    const components = [
      { name: 'open', type: 'bool' },
      { name: 'amount', type: 'uint8' },
    ];
    const inputs = [{ codec: codecOf({ type: 'tuple[]', components }), label: 'orders' }];
    expect(() => decodeValues(inputs, new AbiData(`0x${word(32)}${word(2)}${elements}`), fail)).toThrow(message);
  });

  it.each([
    ['uint8', word(256), 'a: is out of range for uint8.'],
    ['uint56', word(2n ** 56n), 'a: is out of range for uint56.'],
    ['int8', word(128), 'a: is out of range for int8.'],
    ['int8', word(2n ** 256n - 129n), 'a: is out of range for int8.'],
    ['bool', word(2), 'a: is neither true nor false.'],
    ['bool', `1${word(0).slice(1)}`, 'a: is neither true nor false.'],
    ['address', `${'0'.repeat(23)}1${'12'.repeat(20)}`, 'a: is longer than an address.'],
    ['uint8[2]', word(1) + word(256), 'a[1]: is out of range for uint8.'],
    ['bytes', word(32) + word(40) + '12'.repeat(39), `a: ${ENDS}`],
    ['bytes', word(64) + word(0), `a: ${ENDS}`],
    ['uint8[]', word(32) + word(2) + word(1), `a: ${ENDS}`],
    ['string[2]', word(32) + word(64), `a: ${ENDS}`],
    ['string[]', word(32) + word(1) + word(2n ** 255n), `a[0]: ${ENDS}`],
  ])('of type %s is refused: %s, %s', (type, data, message) => {
    const inputs = [{ codec: codecOf({ type } as AbiParameter), label: 'a' }];
    expect(() => decodeValues(inputs, new AbiData(`0x${data}`), fail)).toThrow(message);
  });

  it('in a struct is refused with the path of its component, by name or position', () => {
    const components = [{ name: 'kind', type: 'uint8' }, { type: 'bool' }];
    const inputs = [{ codec: codecOf({ type: 'tuple', components }), label: 'a' }];
    const decode = (data: string) => decodeValues(inputs, new AbiData(`0x${data}`), fail);
    expect(() => decode(word(256) + word(1))).toThrow('a.kind: is out of range for uint8.');
    expect(() => decode(word(255) + word(2))).toThrow('a.1: is neither true nor false.');
  });

  it('in a struct of unknown size is refused where the data ends inside the struct', () => {
    const inputs = [{ codec: codecOf(tuple('string', 'uint8') as AbiParameter), label: 'a' }];
    const data = new AbiData(`0x${word(32)}${word(0)}`);
    expect(() => decodeValues(inputs, data, fail)).toThrow(`a: ${ENDS}`);
  });
});

describe('an error in the decoder', () => {
  const defect = new TypeError('a defect');
  const broken = {
    ...codecOf({ type: 'uint8' }),
    read() {
      throw defect;
    },
  };

  it.each([
    ['a value', broken],
    ['an element', arrayCodec(broken, 1)],
  ])('at %s is thrown unchanged and does not blame the event', (_where, codec) => {
    expect(() => decodeValues([{ codec, label: 'a' }], new AbiData(`0x${word(0)}`), fail)).toThrow(defect);
  });
});
