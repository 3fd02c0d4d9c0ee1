import type { AbiParameter } from 'abitype';
import { addressCodec } from '../evm/elementary-codecs.js';
import { bytesOf } from '../evm/hex.js';
import type { Hex } from '../evm/types.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text as Go writes it to JSON: one U+FFFD per byte that is not UTF-8. */
export function goText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // A lenient decoder writes one U+FFFD for several bytes that could begin a character, so decode one by one.
  }
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    parts.push(length === 0 ? '\uFFFD' : utf8.decode(bytes.subarray(at, at + length)));
    at += length || 1;
  }
  return parts.join('');
}

/** Number of bytes of the character at `at`; 0 if there is none (RFC 3629, section 4). */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  // Excludes overlong forms, surrogates, and code points above the last one.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let step = 1; step < length; step++) {
    const byte = bytes[at + step] ?? 0;
    if (byte < (step === 1 ? least : 0x80) || byte > (step === 1 ? most : 0xbf)) return 0;
  }
  return length;
}

/** The type of an array's elements; undefined if it is not an array. */
export function elementOf(parameter: AbiParameter): AbiParameter | undefined {
  const [, type] = /^(.*)\[\d*\]$/s.exec(parameter.type) ?? [];
  return type === undefined ? undefined : { ...parameter, type };
}

/**
 * A value in its wire format: integers in decimal digits, checksummed addresses, bytes in hex, `true` or `false`, text as
 * it is. Arrays and tuples are JSON text of such strings, so that parsing it loses no digit of an integer; a tuple is an
 * object, or an array if a component has no name.
 *
 * @param decoded The value that viem decoded with the parameter's codec.
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

const WORD = 32;
const isList = ({ type }: AbiParameter) => type.endsWith('[]');

/** Whether the encoding of a type is dynamic: its place contains an offset, not the value. */
function isDynamic(parameter: AbiParameter): boolean {
  if (isList(parameter) || parameter.type === 'string' || parameter.type === 'bytes') return true;
  const element = elementOf(parameter);
  if (element) return isDynamic(element);
  return 'components' in parameter && parameter.components.some(isDynamic);
}

/** Number of bytes in the ABI encoding of a value, including its place among the others. */
export function encodedSize(parameter: AbiParameter, decoded: unknown): number {
  const place = isDynamic(parameter) ? WORD : 0;
  const element = elementOf(parameter);
  if (element) {
    const sizes = (decoded as unknown[]).map((each) => encodedSize(element, each));
    return place + (isList(parameter) ? WORD : 0) + sum(sizes);
  }
  if ('components' in parameter) {
    return place + sum(parameter.components.map((component, at) => encodedSize(component, (decoded as unknown[])[at])));
  }
  if (place === 0) return WORD;
  const bytes = (decoded as string).length / 2 - 1;
  return 2 * WORD + WORD * Math.ceil(bytes / WORD);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
