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
import type { Deployed } from './chain.js';

// What viem makes of logs and calls, without what it loses: arguments and components named __proto__ (so nothing has a
// name while it decodes), the byte order mark of a text (so text is decoded as its bytes), and anonymous events.

/** The values of an event in the order of its inputs: tuples as arrays, text as its bytes. */
export type Positional = readonly unknown[];

function nameless(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(/^string/, 'bytes');
  if (!('components' in parameter)) return { ...parameter, name: '', type };
  return { ...parameter, name: '', type, components: parameter.components.map(nameless) } as AbiParameter;
}

/** The selector of an item of an ABI, worked out once. */
const selectors = new WeakMap<AbiEvent | AbiFunction, Hex>();

function selectorOf(item: AbiEvent | AbiFunction): Hex {
  const selector = selectors.get(item) ?? (item.type === 'event' ? toEventSelector(item) : toFunctionSelector(item));
  selectors.set(item, selector);
  return selector;
}

/**
 * The event of the contract's ABI that a log is. Where its topics do not tell, the function that was called does: those
 * that emit anonymous events have their names.
 */
export function eventOf(contract: Deployed, { topics }: RpcLog, call: string | undefined): AbiEvent {
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
  return found;
}

/** The function of the contract's ABI that data calls. */
export function functionOf(contract: Deployed | undefined, data: Hex): AbiFunction | undefined {
  return contract?.abi
    .filter((item) => item.type === 'function')
    .find((item) => selectorOf(item) === data.slice(0, 10));
}

export function positionalArgs(event: AbiEvent, { topics, data }: RpcLog): Positional {
  const item: AbiEvent = { ...event, inputs: event.inputs.map(nameless) };
  const words = event.anonymous ? topics : topics.slice(1);
  const { args } = decodeEventLog({ abi: [item], data, topics: [toEventSelector(item), ...words] });
  return (args ?? []) as Positional;
}

export function positionalCall({ inputs }: AbiFunction, data: Hex): Positional {
  return inputs.length === 0 ? [] : decodeAbiParameters(inputs.map(nameless), slice(data, 4));
}

/** How the bytes of a text become text. */
type ToText = (bytes: Hex) => string;

const utf8: ToText = (bytes) => Buffer.from(bytes.slice(2), 'hex').toString('utf8');

/** One value with the names that the ABI gives to its parts, and its text decoded. */
function named(parameter: AbiParameter, value: unknown, toText: ToText): unknown {
  if (isHash(parameter)) return value;
  const [, element] = /^(.*)\[\d*\]$/s.exec(parameter.type) ?? [];
  if (element !== undefined) {
    return (value as unknown[]).map((each) => named({ ...parameter, type: element }, each, toText));
  }
  if ('components' in parameter) return withNames(parameter.components, value as Positional, toText);
  return parameter.type === 'string' ? toText(value as Hex) : value;
}

function withNames(parameters: readonly AbiParameter[], values: Positional, toText: ToText): unknown {
  const all = parameters.map((parameter, at) => named(parameter, values[at], toText));
  const isNamed = parameters.every(({ name }) => name);
  return isNamed ? Object.fromEntries(parameters.map(({ name }, at) => [name, all[at]])) : all;
}

/** Whether what the log has of an input is a hash. */
export function isHash(parameter: AbiParameter): boolean {
  return 'indexed' in parameter && parameter.indexed === true && /^(string|bytes|tuple.*)$|\]$/.test(parameter.type);
}

/** The arguments as `decodeEventLog` would give them, if it lost nothing. */
export function argsOf({ inputs }: AbiEvent, values: Positional, toText: ToText = utf8): unknown {
  return inputs.length === 0 ? undefined : withNames(inputs, values, toText);
}

/** `Transfer(address,address,uint256)`, as the service writes it. */
export function signatureOf({ name, inputs }: AbiEvent | AbiFunction): string {
  return `${name}(${inputs.map(typeOf).join(',')})`;
}

/** A type as Go's decoder of ABIs writes it: a tuple by its components. */
export function typeOf(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type;
  return parameter.type.replace('tuple', `(${parameter.components.map(typeOf).join(',')})`);
}
