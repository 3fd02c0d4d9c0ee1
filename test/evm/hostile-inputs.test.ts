import { describe, expect, it } from 'vitest';
import type { EventInput, JsonValue } from '../../src/events/types.js';
import { emitted } from './arbitrary.js';
import { moved, movedInputs, single } from './hostile-event.js';
import { refusalOf } from './refusal.js';

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
