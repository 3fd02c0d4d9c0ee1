import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import type { EventInput } from '../../src/events/types.js';
import { decodeEvent } from '../../src/evm/index.js';
import type { EventEmitted } from '../../src/index.js';
import { BOB, eventOf, refusal, TOKEN, word } from './events.js';

const transferAbi = () => parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const transfer = () => eventOf(transferAbi()[0], { from: BOB, to: TOKEN, value: 7n });
const noted = () => parseAbi(['event Noted(string indexed note, uint256[] list)']);
const notedEvent = () => eventOf(noted()[0], { note: 'x', list: [1n] }, { list: [1] });

function input(event: EventEmitted, at: number): EventInput {
  const found = event.data.event.inputs[at];
  if (!found) throw new Error('There is no such input.');
  return found;
}
const withoutLog = (event: EventEmitted): EventEmitted => {
  delete event.data.event.rawFields;
  return event;
};

describe('an input of the type', () => {
  const types: readonly (readonly [abi: string, value: unknown, wire: unknown, same: string[], other: string[]])[] = [
    ['uint256', 1n, '1', ['uint256', 'uint', ' uint '], ['int', 'uint8', 'uint256[]', 'xuint', '', 'tuple', '[1]']],
    ['int256', 1n, '1', ['int256', 'int'], ['uint', 'uint256', 'int8', 'int[]', 'mint']],
    ['uint256[]', [1n], [1], ['uint[]', 'uint256[]', 'uint256 []'], ['uint', 'int[]', 'uint[1]', 'uint8[]']],
    ['uint8', 1, '1', ['uint8'], ['uint', `uint8${'[1]'.repeat(10)}`, 'tuple', 'tupleuint8', '(uint8)']],
    [
      '(uint8 a, uint256 b)[12]',
      new Array(12).fill({ a: 1, b: 2n }),
      new Array(12).fill([1, 2]),
      ['(uint8,uint256)[12]', 'tuple[12]', 'tuple(uint8, uint256)[12]', '( uint8 ,uint256 ) [12]'],
      [
        'tuple',
        'tuple[]',
        'tuple[1]',
        'tuple(uint8,uint128)[12]',
        'tuple(uint8,uint256)',
        '(uint8,uint)[12]',
        'xtuple[12]',
        'tuple[12]x',
      ],
    ],
    ['(bool a, uint256[] b)', { a: true, b: [1n] }, [true, [1]], ['tuple'], ['(bool,uint[])', 'tuple[]', '(bool)']],
  ];

  it.each(types)('%s may be written in some ways only', (type, value, wire, same, other) => {
    const abi = parseAbi([`event Held(${type} only)`] as never) as never;
    const held = (written: string) => {
      const event = eventOf(abi[0], { only: value }, { only: wire as never });
      Object.assign(input(event, 0), { type: written });
      return event;
    };
    for (const written of same) {
      expect(decodeEvent(held(written), abi)).toMatchObject({ args: { only: value } });
      expect(decodeEvent(withoutLog(held(written)), abi)).toMatchObject({ args: { only: value } });
    }
    for (const written of other) {
      expect({ written, input: refusal(() => decodeEvent(held(written), abi)).input }).toEqual({
        written,
        input: 'type of only',
      });
      const { code, reason } = refusal(() => decodeEvent(withoutLog(held(written)), abi));
      expect(code).toBe('ERR_WEBHOOK_INPUT_VALUE');
      expect(reason).toMatch(/^must be of type .+, as in the ABI\.$/);
    }
  });

  it('that is hashed may be bytes32', () => {
    const event = notedEvent();
    Object.assign(input(event, 0), { type: 'bytes32' });
    expect(decodeEvent(event, noted()).eventName).toBe('Noted');
    Object.assign(input(event, 1), { type: 'bytes32' });
    expect(refusal(() => decodeEvent(event, noted())).input).toBe('type of list');
    Object.assign(input(event, 0), { type: 'bytes31' });
    expect(refusal(() => decodeEvent(event, noted())).input).toBe('type of note');
  });
});

describe('inputs', () => {
  const swapped = () => parseAbi(['event Moved(address from, address to)']);
  const half = () => parseAbi(['event Moved(uint256, uint256 b)']);

  it('are taken by name where they are swapped', () => {
    const event = eventOf(swapped()[0], { from: BOB, to: TOKEN });
    event.data.event.inputs.reverse();
    expect(decodeEvent(event, swapped()).args).toEqual({ from: BOB, to: TOKEN });
    expect(decodeEvent(withoutLog(event), swapped()).args).toEqual({ from: BOB, to: TOKEN });
  });

  it('are taken by position where a name is absent on either side', () => {
    const event = eventOf(half()[0], { '': 1n, b: 2n });
    event.data.event.inputs = [
      { name: 'x', value: '1', hashed: false, type: 'uint256' },
      { name: '', value: '2', hashed: false, type: 'uint256' },
    ];
    event.data.event.rawFields = JSON.stringify({
      ...JSON.parse(event.data.event.rawFields ?? ''),
      data: `${word(1)}${word(2).slice(2)}`,
    });
    expect(decodeEvent(event, half()).args).toEqual([1n, 2n]);
    expect(decodeEvent(withoutLog(event), half()).args).toEqual([1n, 2n]);
  });

  it('may be none: then the arguments are undefined', () => {
    const abi = [{ type: 'event', name: 'Paused' }] as const;
    const event = eventOf({ ...abi[0], inputs: [] }, {});
    expect(decodeEvent(event, abi)).toStrictEqual({ eventName: 'Paused', args: undefined, log: expect.anything() });
    expect(decodeEvent(withoutLog(event), abi).args).toBeUndefined();
  });
});

const FROM_LOG = 'so one of them is wrong and nothing was decoded. Report it to the service.';

describe('an event beside its log', () => {
  it.each<[string, (event: EventEmitted) => unknown, string, string]>([
    ['name', (event) => Object.assign(event.data.event, { name: 'Mint' }), 'name', 'rawFields.topics'],
    ...['Transfer(address,address)', 'Transfer()', 'Mint(address,address,uint256)', 'Mint', ' Transfer(address)'].map(
      (signature): [string, (event: EventEmitted) => unknown, string, string] => [
        `signature ${signature}`,
        (event) => Object.assign(event.data.event, { signature }),
        'signature',
        'rawFields.topics',
      ],
    ),
    [
      'contract',
      ({ data }) => Object.assign(data.event.contract, { address: BOB }),
      'contract.address',
      'rawFields.address',
    ],
    [
      'transaction',
      ({ data }) => Object.assign(data.transaction ?? {}, { txHash: word(1) }),
      'transaction.txHash',
      'rawFields.transactionHash',
    ],
    ['number of inputs', ({ data }) => data.event.inputs.pop(), 'inputs', 'Transfer(address,address,uint256)'],
    ['type', (event) => Object.assign(input(event, 2), { type: 'int256' }), 'type of value', 'the ABI'],
    ['value', (event) => Object.assign(input(event, 2), { value: '8' }), 'value', 'the log in rawFields'],
    ['hashed flag', (event) => Object.assign(input(event, 1), { hashed: true }), 'to', 'the log in rawFields'],
  ])('is refused for another %s', (_, change, where, from) => {
    const event = transfer();
    change(event);
    const { code, message } = refusal(() => decodeEvent(event, transferAbi()));
    expect(code).toBe('ERR_WEBHOOK_CONTRADICTION');
    expect(message).toBe(`Event "${event.id}", ${where}: contradicts ${from}, ${FROM_LOG}`);
  });

  it.each([
    'Transfer(address, address, uint)',
    'Transfer(address indexed from, address indexed to, uint256 value)',
    'Transfer(address,address,uint256) anonymous',
    'Transfer(address,tuple)',
    'Transfer',
  ])('may have the signature in another notation: %s', (signature) => {
    const event = transfer();
    event.data.event.signature = signature;
    expect(decodeEvent(event, transferAbi()).args).toEqual({ from: BOB, to: TOKEN, value: 7n });
  });

  it('may have a name of one character', () => {
    const abi = parseAbi(['event A(bool b)']);
    const event = eventOf(abi[0], { b: true });
    event.data.event.signature = 'A(uint8)';
    expect(refusal(() => decodeEvent(event, abi)).input).toBe('signature');
  });

  it('may lack the transaction, or have its hash and the address in upper case', () => {
    const event = transfer();
    const hash = event.data.transaction?.txHash ?? '';
    Object.assign(event.data.transaction ?? {}, { txHash: hash.toUpperCase().replace('X', 'x') });
    event.data.event.contract.address = event.data.event.contract.address.toLowerCase();
    expect(decodeEvent(event, transferAbi()).args.value).toBe(7n);
    delete event.data.transaction;
    expect(decodeEvent(event, transferAbi()).args.value).toBe(7n);
  });

  it.each([word(1), '', 1, null, ['x']])('is refused for another hash of an indexed text: %j', (value) => {
    const event = notedEvent();
    Object.assign(input(event, 0), { value });
    expect(refusal(() => decodeEvent(event, noted())).input).toBe('note');
  });

  it('may have the hash of an indexed text in upper case', () => {
    const event = notedEvent();
    const { value } = input(event, 0);
    Object.assign(input(event, 0), { value: String(value).toUpperCase().replace('X', 'x') });
    expect(decodeEvent(event, noted()).args.note).toBe(value);
  });
});

describe('an event without a log', () => {
  const OTHER =
    'has a different name in the ABI, and without rawFields only names distinguish events with the same signature. Pass the ABI that the service uses.';
  const hashed = (is: string, declares: string) =>
    `is ${is}hashed, but the ABI ${declares} it as indexed. Pass the ABI of the contract.`;

  it.each<[() => EventEmitted, (event: EventEmitted) => unknown, string, string]>([
    [
      transfer,
      ({ data }) => data.event.inputs.pop(),
      'inputs',
      'do not match Transfer(address,address,uint256): the event has 2 inputs, the ABI 3.',
    ],
    [
      transfer,
      (event) => Object.assign(input(event, 0), { name: 'to' }),
      'inputs',
      'do not match Transfer(address,address,uint256): the inputs have names that the ABI has at other positions.',
    ],
    [transfer, (event) => Object.assign(input(event, 2), { name: 'amount' }), 'value', OTHER],
    [
      transfer,
      (event) => Object.assign(input(event, 2), { type: 'bool' }),
      'value',
      'must be of type uint256, as in the ABI.',
    ],
    [
      transfer,
      (event) => Object.assign(input(event, 2), { value: '0.7' }),
      'value',
      'is a decimal or a time, but its type is an integer. The service converts the values of this contract, so this is not the exact amount. Only rawFields contains the exact amount, and this event lacks it. Have the service send rawFields, or turn off the conversion.',
    ],
    [transfer, (event) => Object.assign(input(event, 2), { hashed: true }), 'value', hashed('', 'does not declare')],
    [notedEvent, (event) => Object.assign(input(event, 0), { hashed: false }), 'note', hashed('not ', 'declares')],
    [
      notedEvent,
      (event) => Object.assign(input(event, 0), { value: '0x12' }),
      'note',
      'must be a hash: 0x and 64 hex digits.',
    ],
    [
      notedEvent,
      (event) => Object.assign(input(event, 1), { value: [1, 'x'] }),
      'list[1]',
      'must be an integer for uint256, in decimal digits or hex.',
    ],
  ])('is refused with the whole reason: %#', (make, change, where, reason) => {
    const event = withoutLog(make());
    change(event);
    const abi = event.data.event.name === 'Noted' ? noted() : transferAbi();
    const { code, message } = refusal(() => decodeEvent(event, abi as ReturnType<typeof transferAbi>));
    expect(code).toBe('ERR_WEBHOOK_INPUT_VALUE');
    expect(message).toBe(`Event "${event.id}", ${where}: ${reason}`);
  });
});
