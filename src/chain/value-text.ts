import type { AbiParameter } from 'abitype';
import { bytesOf } from '../evm/abi-data.js';
import { addressCodec } from '../evm/codec-simple.js';
import type { Hex } from '../evm/types.js';
import { goText } from './go-text.js';

/** The type of an array's elements; undefined when it is no array. */
export function elementOf(parameter: AbiParameter): AbiParameter | undefined {
  const [, type] = /^(.*)\[\d*\]$/s.exec(parameter.type) ?? [];
  return type === undefined ? undefined : { ...parameter, type };
}

/**
 * A value as the wire has it: integers in decimal digits, addresses with their checksum, bytes in hex, `true` or `false`,
 * text as it is. Arrays and tuples are JSON text of such texts, so that no digit of an integer is lost to who parses it:
 * tuples as objects, or as arrays when a component has no name.
 *
 * @param decoded What viem gives for the parameter of its codec.
 */
export function valueText(parameter: AbiParameter, decoded: unknown): string {
  const { type } = parameter;
  const element = elementOf(parameter);
  if (element) return `[${(decoded as unknown[]).map((each) => jsonText(element, each)).join(',')}]`;
  if ('components' in parameter) return tupleText(parameter.components, decoded as unknown[]);
  if (type === 'address') return addressCodec.fromChain?.(decoded) as string;
  if (type === 'string') return goText(bytesOf(decoded as Hex));
  return String(decoded);
}

function jsonText(parameter: AbiParameter, decoded: unknown): string {
  const text = valueText(parameter, decoded);
  const isJson = 'components' in parameter || elementOf(parameter) !== undefined;
  return isJson ? text : JSON.stringify(text);
}

function tupleText(components: readonly AbiParameter[], decoded: readonly unknown[]): string {
  const parts = components.map((component, at) => jsonText(component, decoded[at]));
  if (!components.every(({ name }) => name)) return `[${parts.join(',')}]`;
  return `{${components.map(({ name }, at) => `${JSON.stringify(name)}:${parts[at]}`).join(',')}}`;
}
