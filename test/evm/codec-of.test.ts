import { describe, expect, it } from 'vitest';
import { codecOf } from '../../src/evm/codec-of.js';
import { areNamed, recordOf } from '../../src/evm/composite-codecs.js';

const of = (type: string, components?: readonly { name?: string; type: string }[]) =>
  codecOf({ type, ...(components && { components }) } as never);
const pair = [
  { name: 'kind', type: 'uint8' },
  { name: 'note', type: 'string' },
];

describe('a type of an ABI', () => {
  it.each([
    ['uint', 'uint256', false, 32],
    ['int', 'int256', false, 32],
    ['uint8', 'uint8', false, 32],
    ['int256', 'int256', false, 32],
    ['address', 'address', false, 32],
    ['bool', 'bool', false, 32],
    ['bytes1', 'bytes1', false, 32],
    ['bytes32', 'bytes32', false, 32],
    ['function', 'function', false, 32],
    ['bytes', 'bytes', true, undefined],
    ['string', 'string', true, undefined],
    ['uint8[]', 'uint8[]', true, undefined],
    ['uint[2][3]', 'uint256[2][3]', true, 192],
    ['string[2]', 'string[2]', true, undefined],
  ])('%s is %s, hashed in a topic: %s, of %s bytes', (type, canonical, isHashed, size) => {
    expect(of(type)).toMatchObject({ type: canonical, shape: canonical, isHashed, size });
  });

  it('of a struct has its components, whose names are part of its shape', () => {
    expect(of('tuple[2]', pair)).toMatchObject({
      type: '(uint8,string)[2]',
      shape: '(uint8 kind,string note)[2]',
      isHashed: true,
      size: undefined,
    });
    const nested = [{ name: 'at', type: 'tuple', components: pair.slice(0, 1) }, { type: 'bool' }];
    expect(of('tuple', nested)).toMatchObject({
      type: '((uint8),bool)',
      shape: '((uint8 kind) at,bool )',
      isHashed: true,
      size: 64,
    });
  });

  it('has components only if it is a tuple', () => {
    expect(of('bool', pair).type).toBe('bool');
  });

  it.each([
    'uint0',
    'uint7',
    'uint264',
    'xuint8',
    'uint8x',
    'bytes0',
    'bytes33',
    'xbytes4',
    'bytes4x',
    'uint8[0]',
    'uint8[]x',
    'bool[1]x',
    'tuple',
    '',
  ])('is refused with its name: %j', (type) => {
    const message = `\`abi\` has a type that cannot be decoded: ${type}. Correct it, or remove the event.`;
    for (const components of [undefined, []]) {
      const run = () => of(type, components);
      expect(run).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message }));
    }
  });
});

describe('names', () => {
  it.each([
    [['a', 'b'], true],
    [['a', ''], false],
    [['', ''], false],
    [[], false],
  ])('%j make an object of the values: %s', (names, expected) => {
    expect(areNamed(names)).toBe(expected);
  });

  it('that are equal are refused', () => {
    const message = '`abi` has two inputs or components named a in one place. Rename one of them.';
    expect(() => areNamed(['a', '', 'a'])).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message }));
  });

  it('are the keys of the values, and __proto__ is one like others', () => {
    const record = recordOf(['a', '__proto__'], [1, [2]]);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptors(record)).toStrictEqual(
      Object.fromEntries([
        ['a', { value: 1, configurable: true, enumerable: true, writable: true }],
        ['__proto__', { value: [2], configurable: true, enumerable: true, writable: true }],
      ]),
    );
  });
});
