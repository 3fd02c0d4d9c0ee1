import { type AbiEvent, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { abiEventItem, abiEventItems } from '../../src/evm/abi-items.js';
import { decodeEvent } from '../../src/evm/index.js';
import { BOB, eventOf, refusal, TOKEN } from './events.js';

const transferText = 'event Transfer(address indexed from, address indexed to, uint256 value)';
const transfer = () => eventOf(parseAbi([transferText])[0], { from: BOB, to: TOKEN, value: 7n });

describe('an event of an ABI', () => {
  it('has a signature, a shape and a number of topics', () => {
    const [item] = parseAbi(['event Noted(uint256 indexed a, (bool on, uint8)[] marks, string indexed note)']);
    expect(abiEventItem(item)).toMatchObject({
      signature: 'Noted(uint256,(bool,uint8)[],string)',
      shape: 'Noted(uint256 indexed a,(bool on,uint8 )[] marks,string indexed note)',
      topicCount: 3,
      isAnonymous: false,
      isNamed: true,
    });
    expect(abiEventItem({ ...item, anonymous: true })).toMatchObject({
      shape: 'Noted(uint256 indexed a,(bool on,uint8 )[] marks,string indexed note) anonymous',
      topicCount: 2,
      isAnonymous: true,
    });
  });

  it('has inputs, of which an indexed one may be a hash', () => {
    const [item] = parseAbi(['event Noted(uint256 indexed, string, string indexed note)']);
    const unnamed = { ...item, inputs: item.inputs.map((input) => ({ ...input, name: undefined })) };
    const inputs = [
      { name: '', label: '#0', isIndexed: true, isHashed: false },
      { name: '', label: '#1', isIndexed: false, isHashed: false },
    ];
    const last = { isIndexed: true, isHashed: true };
    expect(abiEventItem(item).inputs).toMatchObject([...inputs, { name: 'note', label: 'note', ...last }]);
    expect(abiEventItem(unnamed as AbiEvent).inputs).toMatchObject([...inputs, { name: '', label: '#2', ...last }]);
  });

  it('is found by its topic unless it is anonymous, and by its signature', () => {
    const [item] = parseAbi([transferText]);
    const { byTopic, bySignature } = abiEventItems([item, { ...item, anonymous: true }]);
    const signature = 'Transfer(address,address,uint256)';
    expect([...byTopic.values()].flat()).toMatchObject([{ signature, isAnonymous: false }]);
    expect(bySignature.get(signature)).toMatchObject([{ isAnonymous: false }, { isAnonymous: true }]);
  });
});

describe('an ABI', () => {
  it('may have items of other kinds, and some that are not items', () => {
    const [item] = parseAbi([transferText]);
    const abi = [null, 7, { type: 'function', name: 7 }, item, { type: 'constructor' }] as const;
    expect(decodeEvent(transfer(), abi as never)).toMatchObject({ eventName: 'Transfer' });
  });

  it('is read once', () => {
    const abi = [...parseAbi([transferText])];
    expect(decodeEvent(transfer(), abi).eventName).toBe('Transfer');
    abi.pop();
    expect(decodeEvent(transfer(), abi)).toMatchObject({ eventName: 'Transfer' });
  });

  it('may have an event without inputs or without their names', () => {
    const event = transfer();
    const nameless = parseAbi(['event Transfer(address indexed, address indexed, uint256)']);
    const bare = [{ type: 'event', name: 'Bare' }] as const;
    const inputs = nameless[0].inputs.map((input) => ({ ...input, name: undefined }));
    const abi = [...bare, { ...nameless[0], inputs }] as unknown as typeof nameless;
    expect(decodeEvent(event, abi).args).toEqual([BOB, TOKEN, 7n]);
    Object.assign(event.data.event.inputs[2] ?? {}, { value: '8' });
    expect(refusal(() => decodeEvent(event, abi)).input).toBe('#2');
    expect(decodeEvent(eventOf({ ...bare[0], inputs: [] }, {}), abi)).toMatchObject({ eventName: 'Bare' });
  });

  const nested = (depth: number): object =>
    depth === 0 ? { name: 'a', type: 'bool' } : { name: 'a', type: 'tuple', components: [nested(depth - 1)] };
  const withInput = (input: object) => [{ type: 'event', name: 'Deep', inputs: [input] }, ...parseAbi([transferText])];
  const message = 'The event at position 0 of `abi` lacks a name, or types of its inputs, or nests them too deeply.';

  it('may nest its types 63 levels deep, and name them in 256 characters', () => {
    for (const input of [nested(63), { name: 'a', type: `bytes32${'[1]'.repeat(83)}` }]) {
      expect(abiEventItems(withInput(input)).all.map(({ name }) => name)).toEqual(['Deep', 'Transfer']);
    }
  });

  it.each([
    ['nests types 64 levels deep', nested(64)],
    ['has a type of 257 characters', { name: 'a', type: `bytes32[10]${'[1]'.repeat(82)}` }],
    ['has an input that is not an object', null],
    ['has a tuple of nothing known', { name: 'a', type: 'tuple[]' }],
    ['has an input without a type', { name: 'a' }],
  ])('is refused when it %s', (_, input) => {
    expect(() => abiEventItems(withInput(input as object))).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message }),
    );
  });

  it('is named by its place in the array, whatever is before it', () => {
    const abi = [...parseAbi(['constructor()', transferText]), { type: 'event', name: 'Odd', inputs: null }];
    expect(() => abiEventItems(abi)).toThrow('The event at position 2 of `abi` lacks a name, or types of its inputs');
  });
});
