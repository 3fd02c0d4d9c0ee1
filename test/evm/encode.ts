import {
  type AbiParameter,
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  padHex,
  size,
  stringToHex,
} from 'viem';
import { elementOf, type Param, type Value } from './arbitrary-types.js';

/** An event of an ABI. */
export interface EventAbi {
  readonly type: 'event';
  readonly name: string;
  readonly anonymous?: boolean;
  readonly inputs: readonly Param[];
}

/** The type as it stands in a signature: tuples are written out. */
export function canonicalType({ type, components = [] }: Param): string {
  return type.replace(/^tuple/, () => `(${components.map(canonicalType).join()})`);
}

/** The canonical signature, such as `Transfer(address,address,uint256)`. */
export function signatureOf({ name, inputs }: Pick<EventAbi, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(canonicalType).join()})`;
}

/** Whether a log has the hash of such an input and not its value. */
export function isHashed({ type, indexed }: Param): boolean {
  return indexed === true && /^(string|bytes|tuple.*)$|\]$/.test(type);
}

/** The values of an event as its log has them: some are hashes. */
export function loggedValues({ inputs }: Pick<EventAbi, 'inputs'>, values: readonly Value[]): Value[] {
  return inputs.map((input, at) => {
    const value = values[at] as Value;
    return isHashed(input) ? topicOf(input, value) : value;
  });
}

/** ABI encoding by viem. Tuples are given by position, so that no name gets in the way. */
export function encode(params: readonly Param[], values: readonly Value[]): Hex {
  return encodeAbiParameters(params as readonly AbiParameter[], values as readonly unknown[]);
}

/** The encoding that is hashed for a topic: in place, with no lengths and no pointers. */
function inPlace(param: Param, value: Value): Hex {
  const array = elementOf(param);
  const list = value as readonly Value[];
  if (array) return concatHex(list.map((each) => padded(inPlace(array.element, each))));
  if (param.components) return concatHex(param.components.map((each, at) => padded(inPlace(each, list[at] as Value))));
  if (param.type === 'string') return stringToHex(value as string);
  return param.type === 'bytes' ? (value as Hex) : encode([param], [value]);
}

function padded(hex: Hex): Hex {
  return padHex(hex, { dir: 'right', size: Math.ceil(size(hex) / 32) * 32 });
}

/** The topic of an indexed input. */
function topicOf(param: Param, value: Value): Hex {
  return isHashed(param) ? keccak256(inPlace(param, value)) : encode([param], [value]);
}

/** What a contract that emits this event puts into the log. */
export function encodeLog(item: EventAbi, values: readonly Value[]): { topics: Hex[]; data: Hex } {
  const topics = item.anonymous ? [] : [keccak256(stringToHex(signatureOf(item)))];
  item.inputs.forEach((input, at) => {
    if (input.indexed) topics.push(topicOf(input, values[at] as Value));
  });
  const isData = (_: unknown, at: number) => !item.inputs[at]?.indexed;
  return { topics, data: encode(item.inputs.filter(isData), values.filter(isData)) };
}
