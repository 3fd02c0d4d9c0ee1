import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, toEventSignature } from 'viem';
import type { JsonValue } from '../../src/events/types.js';
import { DecodeError } from '../../src/evm/index.js';
import { type EventEmitted, parseEventEmitted } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';

export const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
export const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A number as the 32 bytes of a word. */
export const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** An event as the service sends it, with its log; values of inputs are the arguments as text unless `wire` has others. */
export function eventOf(
  item: unknown,
  args: Record<string, unknown>,
  wire: Record<string, JsonValue> = {},
): EventEmitted {
  const event = item as AbiEvent;
  const inData = event.inputs.filter(({ indexed }) => !indexed);
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args } as never);
  const sample = sampleEventEmitted();
  const log = {
    ...JSON.parse(sample.data.event.rawFields ?? ''),
    topics,
    data: encodeAbiParameters(inData, inData.map(({ name }) => args[name ?? '']) as never),
  };
  Object.assign(sample.data.event, {
    name: event.name,
    signature: toEventSignature(event),
    inputs: event.inputs.map(({ name = '', type, indexed }, at) => {
      const hashed = indexed === true && /string|bytes$|\]$|tuple/.test(type);
      const topic = event.inputs.slice(0, at).filter((input) => input.indexed).length + 1;
      const value = Object.hasOwn(wire, name) ? wire[name] : hashed ? topics[topic] : String(args[name]);
      return { name, value, hashed, type };
    }),
    rawFields: JSON.stringify(log),
  });
  return parseEventEmitted(sample);
}

/** The error that something is refused with. */
export function refusal(run: () => unknown): DecodeError {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
