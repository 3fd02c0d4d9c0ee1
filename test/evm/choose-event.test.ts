import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import type { EventInput } from '../../src/events/types.js';
import { canonical, isSameName } from '../../src/evm/choose-event.js';
import { decodeEvent } from '../../src/evm/index.js';
import { parseEventEmitted } from '../../src/index.js';
import { BOB, eventOf, refusal, TOKEN, word } from './events.js';

const named = (event: ReturnType<typeof eventOf>, ...names: string[]): void => {
  event.data.event.inputs = event.data.event.inputs.map((input, at) => ({ ...input, name: names[at] ?? input.name }));
};
const AMBIGUOUS =
  'matches several events of the ABI, and the names of its inputs match none of them. Pass an ABI that contains only one.';

describe('a signature', () => {
  it.each([
    ['A(uint)', 'A(uint256)'],
    ['A(int,uint[2])', 'A(int256,uint256[2])'],
    ['A(uint8, int)', 'A(uint8,int256)'],
    ['A(bool, \t bool)', 'A(bool,bool)'],
    ['uint(myint,int8)', 'uint256(myint,int8)'],
  ])('%j is %j in the form that is hashed', (written, expected) => {
    expect(canonical(written)).toBe(expected);
  });

  it.each(['Moved(uint256,int256,bool)', 'Moved(uint,int,bool)', 'Moved(uint256,  int256, bool)'])(
    'finds its event without a log: %s',
    (signature) => {
      const abi = parseAbi(['event Moved(uint256 a, int256 b, bool c)']);
      const event = eventOf(abi[0], { a: 1n, b: -2n, c: true });
      Object.assign(event.data.event, { signature, rawFields: undefined });
      expect(decodeEvent(event, abi).args).toEqual({ a: 1n, b: -2n, c: true });
    },
  );

  // Of two events with as many topics, the first topic is the hash of one; that of the other may be the same by chance.
  it.each(['Moved(uint256,bool)', 'Moved(uint,bool)', 'Moved(uint256, bool)'])(
    'tells that the first topic is its hash: %s',
    (signature) => {
      const abi = parseAbi([
        'event Moved(uint256 indexed a, bool b)',
        'event Moved(uint256 indexed a, bool indexed b)',
      ]);
      const event = eventOf(abi[0], { a: 1n, b: true });
      event.data.event.signature = signature;
      const { args } = decodeEvent(event, [{ ...abi[1], anonymous: true }, abi[0]]);
      expect(args).toEqual({ a: 1n, b: true });
    },
  );
});

describe('an anonymous event', () => {
  it('is found by its signature and number of topics, whatever its first topic', () => {
    const [item, other] = parseAbi(['event Noted(uint256 indexed a, bool b)', 'event Noted(uint256 a, bool b)']);
    const [noted, twin] = [
      { ...item, anonymous: true },
      { ...other, anonymous: true },
    ] as const;
    const event = eventOf(noted, { a: 7n, b: true });
    expect(decodeEvent(event, [twin, noted]).args).toEqual({ a: 7n, b: true });
    expect(refusal(() => decodeEvent(event, [twin])).code).toBe('ERR_WEBHOOK_ABI_MISMATCH');
  });
});

describe('the name of an input', () => {
  it.each([
    ['from', 'from', true],
    ['from', 'to', false],
    ['', 'to', true],
    ['from', '', true],
    ['from', 'arg0', true],
    ['from', 'arg12', true],
    ['from', 'arg', false],
    ['from', 'xarg1', false],
    ['from', 'arg1x', false],
  ])('%j may be %j on the wire: %s', (name, wire, expected) => {
    expect(isSameName(name, wire)).toBe(expected);
  });
});

describe('several events of one signature', () => {
  it('are told apart by what is hashed where the names are generated', () => {
    const abi = parseAbi(['event Noted(string note)', 'event Noted(string indexed note)']);
    const event = eventOf(abi[1], { note: 'x' });
    const topic = JSON.parse(event.data.event.rawFields ?? '').topics[1];
    delete event.data.event.rawFields;
    named(event, 'arg0');
    expect(decodeEvent(event, abi).args).toEqual({ note: topic });
    event.data.event.inputs = [{ name: 'arg0', value: 'x', hashed: false, type: 'string' }];
    expect(decodeEvent(event, abi).args).toEqual({ note: 'x' });
  });

  it('are told apart by all names of their inputs', () => {
    const abi = parseAbi(['event Moved(address from, address to)', 'event Moved(address from, address dest)']);
    expect(decodeEvent(eventOf(abi[0], { from: BOB, to: TOKEN }), abi).args).toEqual({ from: BOB, to: TOKEN });
    const other = eventOf(abi[1], { from: BOB, dest: TOKEN });
    expect(decodeEvent(other, abi).args).toEqual({ from: BOB, dest: TOKEN });
    delete other.data.event.rawFields;
    named(other, 'arg0');
    expect(decodeEvent(other, abi).args).toEqual({ from: BOB, dest: TOKEN });
  });

  it('are refused where the names fit several, or none', () => {
    const abi = parseAbi([
      'event Moved(address indexed from, address to)',
      'event Moved(address from, address indexed to)',
      'event Moved(address indexed from, address dest)',
    ]);
    const event = eventOf(abi[0], { from: BOB, to: TOKEN });
    const expected = { code: 'ERR_WEBHOOK_ABI_MISMATCH', input: 'signature', reason: AMBIGUOUS };
    expect(refusal(() => decodeEvent(event, abi))).toMatchObject(expected);
    named(event, 'a', 'b');
    expect(refusal(() => decodeEvent(event, abi))).toMatchObject(expected);
    event.data.event.inputs = [{ ...(event.data.event.inputs[0] as EventInput), name: 'from' }];
    expect(refusal(() => decodeEvent(event, abi))).toMatchObject(expected);
  });
});

describe('an event that the ABI lacks', () => {
  const abi = parseAbi([
    'event Transfer(address from, address to, uint256 value)',
    'event Transfer(address from)',
    'event Other(address from)',
    'function Mint(address to)',
  ]);
  const [transfer] = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
  const [mint] = parseAbi(['event Mint(address to)']);
  const END = 'Pass the ABI of the contract that emitted it.';

  it('is refused with what the ABI has, and the topics of the log', () => {
    const { input, reason } = refusal(() => decodeEvent(eventOf(transfer, { from: BOB, to: BOB, value: 1n }), abi));
    expect({ input, reason }).toEqual({
      input: 'rawFields.topics',
      reason: `matches no event of the ABI. The ABI has Transfer(address,address,uint256) with 1 topics and Transfer(address) with 1 topics; the log has 3 topics. ${END}`,
    });
  });

  it('is refused without a log, and by another kind of item', () => {
    const event = eventOf(mint, { to: BOB });
    delete event.data.event.rawFields;
    const { input, reason } = refusal(() => decodeEvent(event, abi));
    expect({ input, reason }).toEqual({
      input: 'signature',
      reason: `matches no event of the ABI. The ABI has no event of that name. ${END}`,
    });
  });

  it('is refused with a log that has no topics', () => {
    const event = eventOf(mint, { to: BOB });
    const log = { ...JSON.parse(event.data.event.rawFields ?? ''), topics: [], transactionHash: word(1) };
    event.data.event.rawFields = JSON.stringify(log);
    expect(refusal(() => decodeEvent(parseEventEmitted(event), abi)).reason).toContain('the log has 0 topics');
  });
});
