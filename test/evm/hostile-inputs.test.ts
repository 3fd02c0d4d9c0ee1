import { describe, expect, it } from 'vitest';
import type { EventInput, JsonValue } from '../../src/index.js';
import { emitted } from './arbitrary.js';
import { moved, movedInputs, single } from './hostile-event.js';
import { refusalOf } from './refusal.js';

const over = (bits: number) => String(2n ** BigInt(bits));
const noInteger = [
  '',
  ' ',
  'x',
  '0x',
  '0xg',
  '-',
  '--1',
  '+1',
  '1 ',
  ' 1',
  '1n',
  '0b1',
  '0o7',
  '1_0',
  '1,0',
  '١',
  'NaN',
  'Infinity',
  '-0x',
  'null',
];
const fractions = ['1.5', '0.0', '1.000', '.5', '5.', '-1.5', '1.5.5', '0x1.8'];
const noText = [null, true, [], {}, ['1'], { value: '1' }];
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const tuple = {
  type: 'tuple',
  components: [
    { name: 'kind', type: 'uint8' },
    { name: 'toString', type: 'string' },
  ],
};
const item = { kind: '1', toString: 'x' };

/** What no value of a type looks like. */
const WRONG: readonly (readonly [type: string | typeof tuple, values: readonly unknown[]])[] = [
  [
    'uint8',
    [...noInteger, ...fractions, ...noText, '256', '-1', '0x100', 256, -1, 1.5, over(256), `0x${'f'.repeat(65)}`],
  ],
  ['uint48', [over(48), '-1', 2 ** 48]],
  ['uint56', [over(56), '-1', -1]],
  ['uint256', [...noInteger, ...fractions, ...noText, over(256), `-1`, `0x1${'0'.repeat(64)}`, -1, 0.5]],
  ['int8', [...noInteger, ...fractions, '128', '-129', '0x80', 128, -129]],
  ['int48', [over(47), `-${2n ** 47n + 1n}`]],
  ['int256', [...noInteger, over(255), `-${2n ** 255n + 1n}`, `0x${'f'.repeat(64)}`]],
  ['bool', ['', '1', '0', 'yes', 'TRUE', 'False', ' true', '0x1', 0, 1, null, [], {}, [true]]],
  [
    'address',
    [
      ...noText,
      '',
      '0x',
      1,
      ADDRESS.slice(2),
      ADDRESS.slice(0, -1),
      ADDRESS.slice(0, -2),
      `${ADDRESS}00`,
      ` ${ADDRESS}`,
      `${ADDRESS}\n`,
    ],
  ],
  // A checksum that is wrong by the case of one letter, and the one of EIP-1191 for another chain.
  [
    'address',
    [
      ADDRESS.replace('dc3A', 'Dc3A'),
      ADDRESS.replace('C8', 'c8'),
      ADDRESS.replace('0x', '0X'),
      ADDRESS.replace('c', 'g'),
    ],
  ],
  ['address', [`0x${'0'.repeat(24)}${ADDRESS.slice(2)}`, '0x70997970c51812Dc3a010c7d01b50e0d17dc79c8']],
  ['bytes4', [...noText, '', '0x', '0xc0de5a', '0xc0de5afe00', '0xc0de5af', '0xc0de5afg', 'c0de5afe', 1, [1, 2, 3, 4]]],
  ['bytes32', [`0x${'ab'.repeat(31)}`, `0x${'ab'.repeat(33)}`, `0x${'ab'.repeat(31)}a`]],
  ['bytes', [...noText, '', 'x', '0', '0xa', '0xag', 'ab', ' 0x', '0x\n', 0]],
  ['string', [null, true, 1, [], {}, ['words']]],
  [
    'uint8[]',
    [
      '',
      'x',
      '[',
      '[1',
      '[1,]',
      '1',
      '[1]x',
      '[01]',
      '{}',
      'null',
      'true',
      '"[1]"',
      '[null]',
      '[[1]]',
      '["x"]',
      '[256]',
      '[1.5]',
      '["1.5"]',
      '[true]',
      1,
      null,
      true,
      {},
      [null],
      [[1]],
      [256],
      ['-1'],
      { length: 1, 0: 1 },
      '{"0":1,"length":1}',
    ],
  ],
  ['uint8[2]', ['[]', '[1]', '[1,2,3]', [], [1], [1, 2, 3]]],
  ['uint8[2][]', ['[[1,2],[1]]', '[[1,2],[1,2,3]]', [[1, 2], 1]]],
  ['string[]', ['[1]', '[null]', '[["x"]]', [1], [null]]],
  [
    tuple,
    [
      '',
      'x',
      'null',
      '[]',
      '{}',
      '["1"]',
      '["1","x","x"]',
      '{"kind":1}',
      null,
      1,
      true,
      [],
      {},
      ['1'],
      ['1', 'x', 'x'],
    ],
  ],
  [tuple, [{ kind: '1' }, { ...item, more: '1' }, { ...item, kind: '256' }, { Kind: '1', toString: 'x' }, ['x', '1']]],
  [
    tuple,
    [
      '{"__proto__":{"kind":1,"toString":"x"}}',
      '{"kind":1,"__proto__":{"toString":"x"}}',
      '{"kind":1,"constructor":"x"}',
    ],
  ],
];

describe('an input without a log', () => {
  const named = WRONG.map(([type, values]) => [typeof type === 'string' ? type : 'tuple', type, values] as const);
  it.each(named)('is refused as anything that %s is not', (_, type, values) => {
    for (const value of values) {
      const { event, abi } = single(type, value as JsonValue);
      const { code, input } = refusalOf(event, abi);
      expect({ value, code, input }).toMatchObject({
        code: 'ERR_WEBHOOK_INPUT_VALUE',
        input: expect.stringMatching(/^only/),
      });
    }
  });
});

describe('an indexed input that only its hash tells', () => {
  const HASH = `0x${'ab'.repeat(32)}`;
  const types = ['string', 'bytes', 'uint8[]', 'uint8[2]'].map((type) => ({ type, indexed: true }));
  it.each(types.map((type) => [type.type, type] as const))(
    'is refused unless it is a hash and flagged as one: %s',
    (_, type) => {
      const wrong = [
        '',
        '0x',
        'text',
        '[1]',
        HASH.slice(2),
        HASH.slice(0, -2),
        `${HASH}00`,
        HASH.replace('a', 'g'),
        null,
        1,
        true,
        [],
        [HASH],
      ];
      for (const value of wrong) {
        const { event, abi } = single(type, value as JsonValue, { hashed: true });
        expect(refusalOf(event, abi).input).toBe('only');
      }
      const { event, abi } = single(type, HASH, { hashed: false });
      refusalOf(event, abi);
    },
  );

  it('is not made of an input that is not a hash', () => {
    for (const type of ['uint256', 'bytes32', 'string', 'uint8[]']) {
      const { event, abi } = single(type, HASH, { hashed: true });
      refusalOf(event, abi);
    }
  });
});

describe('inputs without a log', { timeout: 60_000 }, () => {
  const inputs = movedInputs();
  const extra = { name: 'extra', value: '1', hashed: false, type: 'uint256' };
  const otherType = (input: EventInput) => ({ ...input, type: input.type === 'uint8' ? 'uint256' : 'uint8' });
  const lists: [string, EventInput[]][] = [
    ['none', []],
    ['one less', inputs.slice(1)],
    ['one more', [...inputs, extra]],
    ['all of them twice', [...inputs, ...inputs]],
    ['another order and other names', inputs.toReversed().map((input, at) => ({ ...input, name: `other${at}` }))],
    ['100 000', new Array<EventInput>(100_000).fill(extra)],
    ...inputs.map((input, at): [string, EventInput[]] => [
      `another type of ${input.name}`,
      inputs.with(at, otherType(input)),
    ]),
    ...inputs.map((input, at): [string, EventInput[]] => [
      `another flag of ${input.name}`,
      inputs.with(at, { ...input, hashed: !input.hashed }),
    ]),
  ];
  it.each(lists)('are refused: %s', (_, list) => {
    refusalOf(emitted(moved, list, 'none'), moved.abi);
  });

  it('are refused for a signature that is not in the ABI, be it of what every object has', () => {
    for (const signature of [
      '',
      'Moved',
      'Moved()',
      'constructor',
      '__proto__',
      'toString',
      `${'('.repeat(100_000)}`,
    ]) {
      const event = emitted(moved, inputs, 'none');
      event.data.event.signature = signature;
      expect(refusalOf(event, moved.abi).code).toBe('ERR_WEBHOOK_ABI_MISMATCH');
    }
  });
});
