import { type Abi, getAddress, type Hex, toHex } from 'viem';
import type { EventInput } from '../../src/events/types.js';
import type { EventEmitted } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { fc } from '../fixtures/property.js';
import { anyType, identifier, named, type Param, type Value, valuesOf } from './arbitrary-types.js';
import { type EventAbi, encodeLog, signatureOf } from './encode.js';

/** An event of an ABI with the values that a contract emitted, and where in the chain it did so. */
export interface Emission {
  readonly abi: Abi;
  readonly item: EventAbi;
  readonly values: readonly Value[];
  /** The RPC log, as the service puts it into `rawFields`. */
  readonly log: RpcLog;
}

export interface RpcLog {
  address: Hex;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  transactionHash: Hex;
  transactionIndex: Hex;
  blockHash: Hex;
  blockTimestamp?: Hex;
  logIndex: Hex;
  removed: boolean;
}

/** An event with 0 to 6 inputs, some of them indexed: up to three, or four where the signature takes no topic. */
const events: fc.Arbitrary<EventAbi> = fc
  .tuple(
    identifier,
    named(fc.array(anyType, { maxLength: 6 })),
    fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    fc.nat(9),
  )
  .map(([name, inputs, indexed, dice]) => {
    const anonymous = dice === 0;
    let free = anonymous ? 4 : 3;
    const marked = inputs.map((input, at) => ({ ...input, indexed: indexed[at] === true && free-- > 0 }));
    return { type: 'event' as const, name, inputs: marked, ...(anonymous ? { anonymous } : {}) };
  });

const FUNCTION = { type: 'function', name: 'Transfer', inputs: [], outputs: [], stateMutability: 'view' };
const ERROR = { type: 'error', name: 'Transfer', inputs: [{ name: 'from', type: 'address' }] };

/** 1 to 3 events, at times of one name, among what else an ABI holds. The first is the one that will be emitted. */
const abis = fc
  .tuple(
    fc.uniqueArray(events, { minLength: 1, maxLength: 3, selector: signatureOf }),
    fc.boolean(),
    fc.nat(3),
    fc.boolean(),
  )
  .map(([items, overloaded, turns, mixed]) => {
    const list = overloaded ? items.map((item) => ({ ...item, name: items[0]?.name ?? '' })) : items;
    const signatures = list.map(signatureOf);
    const unique = list.filter((_, at) => signatures.indexOf(signatures[at] ?? '') === at);
    const turned = [...unique.slice(turns % unique.length), ...unique.slice(0, turns % unique.length)];
    return { item: unique[0] as EventAbi, abi: mixed ? [FUNCTION, ...turned, ERROR] : turned };
  });

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((each) => toHex(each));
const quantity = (max: number) => fc.oneof(fc.constantFrom(0, max), fc.nat(max)).map((each) => toHex(each));
const places = fc.record({
  address: bytes(20),
  blockNumber: quantity(2 ** 31 - 1),
  transactionHash: bytes(32),
  transactionIndex: quantity(1000),
  blockHash: bytes(32),
  logIndex: quantity(100_000),
  removed: fc.boolean(),
});

/** A random event of a random ABI. */
export const emissions: fc.Arbitrary<Emission> = abis.chain(({ item, abi }) =>
  fc
    .tuple(fc.tuple(...item.inputs.map(valuesOf)), places, fc.option(quantity(2 ** 31 - 1)))
    .map(([values, place, time]) => {
      const log = { ...place, ...encodeLog(item, values), ...(time === null ? {} : { blockTimestamp: time }) };
      return { abi: abi as unknown as Abi, item, values, log };
    }),
);

/** An event of one input, of which a test needs a certain type. */
export function emissionOf(input: Param, value: Value): Emission {
  const item: EventAbi = { type: 'event', name: 'Single', inputs: [input] };
  const place = {
    address: `0x${'5f'.repeat(20)}`,
    transactionHash: `0x${'7a'.repeat(32)}`,
    blockHash: `0x${'b1'.repeat(32)}`,
  } as const;
  const quantities = { blockNumber: '0x10', transactionIndex: '0x0', logIndex: '0x2' } as const;
  const log = { ...place, ...quantities, removed: false, ...encodeLog(item, [value]) };
  return { abi: [item] as unknown as Abi, item, values: [value], log };
}

/** The event on the wire: with `rawFields` as a text of your own, with the log's, or with none. */
export function emitted({ item, log }: Emission, inputs: EventInput[], rawFields?: string | 'none'): EventEmitted {
  return sampleEventEmitted({
    data: {
      event: {
        name: item.name,
        signature: signatureOf(item),
        inputs,
        rawFields: rawFields === 'none' ? undefined : (rawFields ?? JSON.stringify(log)),
        contract: { address: getAddress(log.address) },
        indexInLog: Number(log.logIndex),
      },
      transaction: {
        txHash: log.transactionHash,
        blockHash: log.blockHash,
        blockNumber: Number(log.blockNumber),
        txIndexInBlock: Number(log.transactionIndex),
      },
    },
  });
}
