import {
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  decodeEventLog,
  type Hex,
  type RpcLog,
  slice,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { elementOf, type Param, type Value } from '../evm/arbitrary-types.js';
import { toValue } from '../evm/differential/decoders.js';
import { isHashed } from '../evm/encode.js';
import type { Deployed } from './chain.js';

// What viem makes of logs and calls, without what it loses: arguments and components named __proto__ (so nothing has a
// name while it decodes), the byte order mark of a text (so text is decoded as its bytes), and anonymous events.

function nameless(param: Param): AbiParameter {
  const type = param.type.replace(/^string/, 'bytes');
  if (!param.components) return { ...param, name: '', type };
  return { ...param, name: '', type, components: param.components.map(nameless) } as AbiParameter;
}

/** The selector of an item of an ABI, worked out once. */
const selectors = new WeakMap<AbiEvent | AbiFunction, Hex>();

function selectorOf(item: AbiEvent | AbiFunction): Hex {
  const selector = selectors.get(item) ?? (item.type === 'event' ? toEventSelector(item) : toFunctionSelector(item));
  selectors.set(item, selector);
  return selector;
}

/** An event or a function with inputs of any type. */
export type Item<Of extends AbiEvent | AbiFunction> = Omit<Of, 'inputs'> & { readonly inputs: readonly Param[] };

/**
 * The event of the contract's ABI that a log is. Where its topics do not tell, the function that was called does: those
 * that emit anonymous events have their names.
 */
export function eventOf(contract: Deployed, { topics }: RpcLog, call: string | undefined): Item<AbiEvent> {
  const events = contract.abi.filter((item) => item.type === 'event');
  const anonymous = events.find((event) => event.anonymous && event.name.toLowerCase() === call);
  const fitting = events.filter(
    (event) =>
      !event.anonymous &&
      selectorOf(event) === topics[0] &&
      event.inputs.filter(({ indexed }) => indexed).length === topics.length - 1,
  );
  const pair = call === 'pairElsewhere' ? 'first' : 'left';
  const found = anonymous ?? (fitting.length > 1 ? fitting.find(({ inputs }) => inputs[0]?.name === pair) : fitting[0]);
  if (!found) throw new Error(`${contract.label} has no event for a log of ${call}.`);
  return found as Item<AbiEvent>;
}

/** The function of the contract's ABI that data calls. */
export function functionOf(contract: Deployed | undefined, data: Hex): Item<AbiFunction> | undefined {
  return contract?.abi
    .filter((item) => item.type === 'function')
    .find((item) => selectorOf(item) === data.slice(0, 10)) as Item<AbiFunction> | undefined;
}

/** How the bytes of a text become text. */
type ToText = (bytes: Hex) => string;

export const utf8: ToText = (bytes) => Buffer.from(bytes.slice(2), 'hex').toString('utf8');

/**
 * Text as Go writes it to JSON: one U+FFFD for each byte that is no UTF-8. A TextDecoder writes one for as many bytes as
 * could have begun a character.
 */
export const goText: ToText = (bytes) => {
  const all = Buffer.from(bytes.slice(2), 'hex');
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let at = 0; at < all.length; ) {
    const first = all[at] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      text += decoder.decode(all.subarray(at, at + length));
      at += length;
    } catch {
      text += '\uFFFD';
      at++;
    }
  }
  return text;
};

function withText(param: Param, value: Value, toText: ToText): Value {
  const array = elementOf(param);
  const list = value as readonly Value[];
  if (array) return list.map((each) => withText(array.element, each, toText));
  if (param.components) return param.components.map((each, at) => withText(each, list[at] as Value, toText));
  return param.type === 'string' ? toText(value as Hex) : value;
}

/** The values of an event in the order of its inputs, as the log has them. */
export function valuesOf(event: Item<AbiEvent>, { topics, data }: RpcLog, toText: ToText): Value[] {
  const item: AbiEvent = { ...event, inputs: event.inputs.map(nameless) };
  const words = event.anonymous ? topics : topics.slice(1);
  const { args = [] } = decodeEventLog({ abi: [item], data, topics: [toEventSelector(item), ...words] });
  const values = toValue(args) as readonly Value[];
  return event.inputs.map((input, at) => {
    const value = values[at] as Value;
    return isHashed(input) ? value : withText(input, value, toText);
  });
}

/** The values of a call in the order of its inputs. */
export function calledWith({ inputs }: Item<AbiFunction>, data: Hex, toText: ToText): Value[] {
  if (inputs.length === 0) return [];
  const values = toValue(decodeAbiParameters(inputs.map(nameless), slice(data, 4))) as readonly Value[];
  return inputs.map((input, at) => withText(input, values[at] as Value, toText));
}
