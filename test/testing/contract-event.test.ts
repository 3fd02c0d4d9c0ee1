import { type Abi, erc20Abi, erc721Abi, getAddress, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { eventEmittedSchema } from '../../src/events/schemas.js';
import { contractEvent, decodeEvent, isRemoved, logIdentity, rawLog } from '../../src/evm/index.js';
import { createRouter, type EventEmitted, parseDelivery } from '../../src/index.js';
import { createTestDelivery, sampleContractEvent, sampleEventEmitted } from '../../src/testing/index.js';
import { emissions } from '../evm/arbitrary.js';
import { elementOf, type Param, type Value } from '../evm/arbitrary-types.js';
import { type EventAbi, signatureOf } from '../evm/encode.js';
import { expectedArgs } from '../evm/expected.js';
import { fc } from '../fixtures/property.js';

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const transfer = { abi, name: 'Transfer', args: { from: FROM, to: TO, value: 1000000000000000000n } } as const;

/** Calls it as code without types does. */
const untyped = (options: object) => Reflect.apply(sampleContractEvent, undefined, [options]) as EventEmitted;

/** The event as a receiver has it. */
function received(event: EventEmitted): EventEmitted {
  const [item] = parseDelivery(createTestDelivery([event], { secret: 's' }).rawBody);
  expect(item).toEqual({ status: 'event', event });
  return event;
}

/** A value as users write it: tuples as objects where all components have names. */
function argOf(param: Param, value: Value): unknown {
  const list = value as readonly Value[];
  const array = elementOf(param);
  if (array) return list.map((each) => argOf(array.element, each));
  const { components } = param;
  if (!components) return value;
  const parts = components.map((each, at) => argOf(each, list[at] as Value));
  if (components.some(({ name }) => name === '')) return parts;
  return Object.fromEntries(components.map(({ name }, at) => [name, parts[at]]));
}

function argsOf(item: EventAbi, values: readonly Value[]): unknown {
  const parts = item.inputs.map((input, at) => argOf(input, values[at] as Value));
  if (parts.length === 0) return undefined;
  if (item.inputs.some(({ name }) => name === '')) return parts;
  return Object.fromEntries(item.inputs.map(({ name }, at) => [name, parts[at]]));
}

describe('sampleContractEvent', () => {
  it('gives the same event as sampleEventEmitted for the same transfer, but for the call', () => {
    const { data } = sampleContractEvent({ ...transfer, id: 'one' });
    const { event, transaction } = sampleEventEmitted({ id: 'one' }).data;
    expect(data.event).toEqual(event);
    expect(data.transaction).toEqual({ ...transaction, txData: '0x', method: null });
  });

  it('gives a valid event that requireLog accepts', () => {
    const event = received(sampleContractEvent(transfer));
    expect(eventEmittedSchema.parse(event)).toEqual(event);
    expect(decodeEvent(event, abi, { requireLog: true })).toMatchObject({ eventName: 'Transfer', args: transfer.args });
  });

  it('encodes what viem decodes, for any event of any ABI', () => {
    fc.assert(
      fc.property(emissions, ({ abi, item, values, log }) => {
        const event = received(
          untyped({
            ...{ abi, name: signatureOf(item), args: argsOf(item, values), address: log.address, removed: log.removed },
            ...{ transactionHash: log.transactionHash, blockHash: log.blockHash },
            ...{ blockNumber: Number(log.blockNumber), logIndex: Number(log.logIndex) },
          }),
        );
        const { blockTimestamp, ...others } = log;
        expect(rawLog(event)).toEqual({
          ...others,
          ...{ blockNumber: BigInt(log.blockNumber), transactionIndex: 0, logIndex: Number(log.logIndex) },
        });
        const decoded = decodeEvent(event, abi, { requireLog: true });
        expect(decoded.eventName).toBe(item.name);
        expect(decoded.args).toEqual(expectedArgs(item, values));
        expect(event.data.event.contract.address).toBe(getAddress(log.address));
      }),
      { numRuns: 300 },
    );
  });

  it('takes integers as digits, structures as JSON text and tuples as arrays', () => {
    const abi = parseAbi(['event Paid(uint256[] amounts, (uint8 kind, string memo) what)']);
    const args = {
      amounts: ['115792089237316195423570985008687907853269984665640564039457584007913129639935', 2, '0x3'],
    };
    const expected = { amounts: [2n ** 256n - 1n, 2n, 3n], what: { kind: 1, memo: 'x' } };
    for (const what of [[1, 'x'], { kind: 1, memo: 'x' }, '{"kind":1,"memo":"x"}', '[1,"x"]'])
      expect(decodeEvent(untyped({ abi, name: 'Paid', args: { ...args, what } }), abi).args).toEqual(expected);
  });

  it('gives the notice of a removed log the identity of the log, and routes it', () => {
    const added = sampleContractEvent({ ...transfer, logIndex: 3 });
    const { txHash } = added.data.transaction ?? { txHash: '' };
    const notice = sampleContractEvent({
      ...transfer,
      logIndex: 3,
      removed: true,
      transactionHash: txHash.toUpperCase().replace('X', 'x'),
    });
    const identity = (event: EventEmitted) => logIdentity(event, { chainId: 1 });
    expect(isRemoved(notice)).toBe(true);
    expect(identity(notice)).toBe(`${identity(added)}:removed`);
    const seen: string[] = [];
    const token = { abi, name: 'Transfer', requireLog: true, address: added.data.event.contract.address } as const;
    const router = createRouter()
      .on(contractEvent(token), () => void seen.push('added'))
      .on(contractEvent({ ...token, removed: true }), () => void seen.push('removed'))
      .otherwise(() => void seen.push('other'));
    for (const event of [added, notice]) void router.dispatch(event, {} as never);
    expect(seen).toEqual(['added', 'removed']);
  });

  it('gives an event without inputs, and an anonymous one with four topics', () => {
    const indexed = (name: string, type: string) => ({ name, type, indexed: true });
    const quiet = {
      type: 'event',
      name: 'Quiet',
      anonymous: true,
      inputs: ['address', 'uint256', 'bool', 'string'].map((type) => indexed(`${type}_`, type)),
    };
    const abi = [{ type: 'event', name: 'Paused' }, quiet];
    for (const args of [undefined, {}, []]) {
      const paused = received(untyped({ abi, name: 'Paused', args }));
      expect(paused.data.event).toMatchObject({ signature: 'Paused()', inputs: [] });
      expect(decodeEvent(paused, abi)).toMatchObject({ args: undefined });
    }
    const event = received(untyped({ abi, name: 'Quiet', args: [FROM, 7n, true, 'x'] }));
    expect(rawLog(event)?.topics).toHaveLength(4);
    expect(decodeEvent(event, abi).args).toMatchObject({ address_: FROM, uint256_: 7n, bool_: true });
  });

  it('passes on what a getter of the arguments throws', () => {
    const abi = parseAbi(['event Paid((uint8 kind) what)']);
    const what = {
      get kind() {
        throw new Error('of the getter');
      },
    };
    expect(() => untyped({ abi, name: 'Paid', args: { what } })).toThrow('of the getter');
  });

  it('refuses types nested without end', () => {
    const endless = { name: 'a', type: 'tuple', components: [] as unknown[] };
    endless.components.push(endless);
    const long = { name: 'a', type: `uint8${'[]'.repeat(100_000)}` };
    for (const input of [endless, long]) {
      const abi = [{ type: 'event', name: 'Deep', inputs: [input] }];
      expect(() => untyped({ abi, name: 'Deep', args: [1] })).toThrow(
        'The event at position 0 of `abi` lacks a name, or types of its inputs',
      );
    }
  });
});

describe('an overloaded event', () => {
  const abi = parseAbi(['event Set(uint256 value)', 'event Set(uint256 value, uint256 at)', 'event Set(bool value)']);
  const both = [...erc20Abi, ...erc721Abi] as Abi;

  it('is chosen by its signature, give or take spaces and uint', () => {
    for (const name of ['Set(uint256,uint256)', 'Set(uint, uint)'] as const) {
      const event = untyped({ abi, name, args: { value: 1n, at: 2n } });
      expect(event.data.event.signature).toBe('Set(uint256,uint256)');
    }
  });

  it('is refused by its name, or by a signature that two have', () => {
    for (const [given, name] of [
      [abi, 'Set'],
      [both, 'Transfer(address,address,uint256)'],
    ] as const)
      expect(() => untyped({ abi: given, name, args: {} })).toThrow(
        `\`abi\` has several events ${name}: ${name.startsWith('Set') ? 'Set(uint256), Set(uint256,uint256), Set(bool)' : name}. Set \`name\` to a signature`,
      );
  });
});

describe('wrong options', () => {
  const { args } = transfer;
  const nested = parseAbi(['event Paid((uint8 kind, uint256[] amounts)[2] parts, string memo, bytes4 tag)']);
  const paid = {
    abi: nested,
    name: 'Paid',
    args: { parts: [{ kind: 1, amounts: [] }, [2, []]], memo: '', tag: '0x00000000' },
  };
  const withArgs = (changed: object) => ({ ...transfer, args: { ...args, ...changed } });
  const withPaid = (changed: object) => ({ ...paid, args: { ...paid.args, ...changed } });
  const indexed = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `i${at}`, type: 'uint8', indexed: true }));

  const eventOf = (inputs: readonly object[], args: unknown, more: object = {}) => ({
    ...{ abi: [{ type: 'event', name: 'E', inputs, ...more }], name: 'E', args },
  });

  it.each<[object | undefined, string]>([
    [undefined, '`sampleContractEvent` takes an options object'],
    [{ ...transfer, adress: TO }, 'has no option `adress`. Did you mean `address`?'],
    [{ ...transfer, name: 5 }, '`name` must be the name of an event'],
    [{ ...transfer, name: 'Transfr' }, '`abi` has no event Transfr. Check `name`.'],
    [{ ...transfer, name: 'Transfer(address)' }, 'It has Transfer(address,address,uint256).'],
    [{ ...transfer, abi: {} }, '`abi` must be an array of items'],
    [{ ...transfer, abi: ['event Transfer()'] }, 'Pass it through parseAbi'],
    [{ ...transfer, removed: 'yes' }, '`removed` must be true or false'],
    [{ ...transfer, address: '0x12' }, '`address` must be an address: 0x and 40 hex digits.'],
    [{ ...transfer, transactionHash: '0x12' }, '`transactionHash` must be 0x and 64 hex digits'],
    [{ ...transfer, logIndex: -1 }, '`logIndex` must be a whole number of at least 0'],
    [{ ...transfer, args: [FROM, TO] }, '`args` must be an object with from, to, value, got an array'],
    [
      withArgs({ value: undefined }),
      '`args.value` is missing: Transfer(address,address,uint256) takes from, to, value.',
    ],
    [withArgs({ valu: 1n }), '`args` has no input valu: Transfer(address,address,uint256) takes from, to, value.'],
    [withArgs({ value: 2 ** 60 }), '`args.value` must be an integer for uint256'],
    [withArgs({ value: -1n }), '`args.value` is out of range for uint256.'],
    [withArgs({ to: 'bob' }), '`args.to` must be an address'],
    [withArgs({ to: TO.replace('C8', 'c8') }), '`args.to` is an address with a wrong checksum'],
    [withPaid({ parts: [{ kind: 1, amounts: [2n ** 256n] }, [2, []]] }), '`args.parts[0].amounts[0]` is out of range'],
    [
      withPaid({ parts: [{ kind: 1, amounts: [] }, [2, ['x']]] }),
      '`args.parts[1].amounts[0]` must be an integer for uint256',
    ],
    [withPaid({ parts: [[1, []]] }), '`args.parts` must be an array of 2 elements'],
    [withPaid({ parts: [[1, [], 3], 5] }), '`args.parts[0]` must be a tuple of 2 components'],
    [withPaid({ parts: [{ kind: 1, amount: [] }, [2, []]] }), '`args.parts[0]` must be a tuple of 2 components'],
    [withPaid({ memo: 5 }), '`args.memo` must be text.'],
    [withPaid({ tag: '0x01' }), '`args.tag` must be hex text of 4 bytes.'],
    [eventOf([{ name: '', type: 'bool' }], { a: true }), '`args` must be an array of 1 values'],
    [eventOf([{ name: 'a', type: 'uint7' }], { a: 1 }), 'has a type that cannot be decoded: uint7'],
    [eventOf(indexed(4), [1, 2, 3, 4]), 'has more than 3 indexed inputs'],
    [eventOf(indexed(5), [], { anonymous: true }), 'has more than 4 indexed inputs'],
    [eventOf([{ name: 'a', type: 'uint8[0][]' }], [[[]]]), 'a type that cannot be decoded: uint8[0].'],
  ])('%# is refused with a message that says what is wrong', (options, message) => {
    expect(() => untyped(options as object)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});
