import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/types.js';
import { codecOf } from '../../src/evm/codec-of.js';

const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const [LOWER, UPPER] = [BOB.toLowerCase(), `0x${BOB.slice(2).toUpperCase()}`];
const struct = {
  type: 'tuple',
  components: [
    { name: 'kind', type: 'uint8' },
    { name: 'note', type: 'string' },
  ],
};
const unnamed = { type: 'tuple', components: [{ type: 'uint8' }] };
const big = 2n ** 200n + 1n;

/** A type, a value from the chain, and the values of inputs that may and may not represent it. */
const AGREEMENTS: readonly (readonly [
  type: string | object,
  value: unknown,
  same: readonly JsonValue[],
  other: readonly JsonValue[],
])[] = [
  [
    'uint256',
    5n,
    ['5', 5, '0x5', '05', '5.0', '0.5', '0.05', '5e-12', '5E-1', '5e0'],
    ['6', '50', '-5', '5e1', '5e12'],
  ],
  ['uint256', 5n, ['5e-255', `0.${'0'.repeat(254)}5`], ['5e-256', '5e-2555', `0.${'0'.repeat(255)}5`]],
  ['uint256', 5n, [], [['5'], null, true, {}, '', 'x5', '5x', '5.0x', '.5', '5e', '5e+', '1.5', '5e^1']],
  ['uint256', 5n, [`5.${'0'.repeat(398)}`], [`5.${'0'.repeat(399)}`]],
  ['uint256', 50n, ['5e1', '5e+1', '5', '50'], ['500']],
  ['uint256', 1002n, ['1.002', '1002.000'], ['12', '1.2', '102', '1.0020001']],
  ['uint256', 0n, ['0', '0.00', '00', '0e5', '-0', 0], ['1', '', '0x']],
  ['int256', -5n, ['-5', '-0.5', '-0x5'], ['5', '0.5', '0x5']],
  ['uint256', big, [String(big), `0.${big}`], [String(big + 1n), `0.${big + 1n}`]],
  ['uint8', 255, ['255', '2.55', '0xff', 255, 2.55], ['256', 254]],
  [
    'uint64',
    1_767_323_045n,
    ['2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00'],
    ['2026-01-02T03:04:06Z', ['2026-01-02T03:04:05Z'], 'x2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ],
  ['uint64', 1_767_312_000n, ['2026-01-02T00:00:00Z'], ['2026-01-02']],
  ['bool', true, [true, 'true'], [false, 'false', '1', 1, null, 'TRUE']],
  ['bool', false, [false, 'false'], [true, 'true', '0', 0, null]],
  ['address', BOB, [BOB, LOWER, UPPER], [BOB.slice(2), `${BOB}0`, null, 1, [BOB]]],
  ['bytes2', '0x6869', ['0x6869', 'hi', 'aGk=', [104, 105]], ['ho', 'hi ', [104], [104, 106], null, 7, {}]],
  ['bytes2', '0xabcd', ['0xabcd', '0xABCD', '0xAbCd'], ['0xabce', '0xabcd00']],
  ['bytes4', '0x68690000', ['hi', 'hi\0\0', 'aGkAAA=='], ['hi\0', 'aGk=']],
  ['bytes', '0x', ['0x', '', []], ['x', [0], null]],
  ['string', 'a\0b', ['a\0b', 'ab'], ['a', 'abc', 'a b', 7, null, ['ab']]],
  ['string', 'a\uFFFD\uFFFDb', ['a\uFFFD\uFFFDb', 'a\uFFFDb', 'a\uFFFD\uFFFD\uFFFDb'], ['ab', 'a\uFFFD']],
  ['uint8[]', [1, 2], ['[1,2]', [1, '2'], ['0.1', 2]], [[1], [1, 3], [1, 2, 3], 'x', null, {}, 12]],
  ['uint8[]', [], ['[]', [], null], [[1], '', '[1]', {}]],
  [struct, { kind: 7, note: 'x' }, [{ kind: 7, note: 'x' }, { note: 'x', kind: 7 }, [7, 'x'], '["7","x"]'], []],
  [
    struct,
    { kind: 7, note: 'x' },
    [{ Kind: 7, Note: 'x' }],
    [
      { Note: 'x', Kind: 7 },
      { Kind: 8, Note: 'x' },
    ],
  ],
  [struct, { kind: 7, note: 'x' }, [], [{ kind: 7 }, { kind: 7, note: 'x', more: 1 }, [7], [7, 'x', 1], null, 'x', 7]],
  [struct, { kind: 7, note: 'x' }, [], [{ kind: 7, note: 'y' }, [8, 'x'], ['7', 'y']]],
  [unnamed, [7], [[7], '[7]', { kind: 7 }], ['"7"', '7', 7, [8], []]],
];

describe('a value from the chain', () => {
  it.each(AGREEMENTS)('of type %s, %s, is represented by %s and not by %s', (type, value, same, other) => {
    const { agrees } = codecOf((typeof type === 'string' ? { type } : type) as never);
    const [yes, no] = [same, other].map((wires) => wires.map((wire) => ({ wire, agrees: agrees(value, wire) })));
    expect(yes).toEqual(same.map((wire) => ({ wire, agrees: true })));
    expect(no).toEqual(other.map((wire) => ({ wire, agrees: false })));
  });
});
