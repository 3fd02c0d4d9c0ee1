import type { AbiParameter } from 'abitype';
import { elementOf } from '../chain/value-text.js';
import type { AbiEventItem } from '../evm/abi-items.js';
import { bytesOf } from '../evm/hex.js';
import { hashOf, keccakOf } from '../evm/keccak.js';
import type { RawLog } from '../evm/types.js';

/** ABI-encoded bytes in hex digits, without 0x. */
interface Encoding {
  readonly digits: string;
  /** Whether the type is dynamic: its head contains an offset instead of the value. */
  readonly isDynamic: boolean;
}

const WORD_DIGITS = 64;

/**
 * Encodes the values of an event as a contract does: indexed values, or their hashes if they are long, in topics; the
 * others in data.
 *
 * @param parameters The inputs of the event in its ABI.
 * @param values The values in the same order, in the forms that codecs return.
 */
export function encodeEvent(
  { inputs, isAnonymous, signature }: AbiEventItem,
  parameters: readonly AbiParameter[],
  values: readonly unknown[],
): Pick<RawLog, 'topics' | 'data'> {
  const topics = isAnonymous ? [] : [hashOf(signature)];
  const data: Encoding[] = [];
  for (const [at, parameter] of parameters.entries()) {
    if (!inputs[at]?.isIndexed) data.push(encode(parameter, values[at]));
    else if (inputs[at].isHashed) topics.push(keccakOf(bytesOf(`0x${inPlace(parameter, values[at])}`)));
    else topics.push(`0x${encode(parameter, values[at]).digits}`);
  }
  return { topics: topics as RawLog['topics'], data: `0x${sequence(data).digits}` };
}

function encode(parameter: AbiParameter, value: unknown): Encoding {
  const parts = partsOf(parameter, value);
  if (parts) {
    const all = sequence(parts.map(([part, each]) => encode(part, each)));
    return parameter.type.endsWith('[]') ? { digits: word(parts.length) + all.digits, isDynamic: true } : all;
  }
  const digits = digitsOf(parameter, value);
  return isBytes(parameter)
    ? { digits: word(digits.length / 2) + padded(digits), isDynamic: true }
    : { digits: padded(digits), isDynamic: false };
}

/** The encoding that is hashed for a topic: without lengths and offsets. */
function inPlace(parameter: AbiParameter, value: unknown): string {
  const parts = partsOf(parameter, value);
  return parts ? parts.map(([part, each]) => padded(inPlace(part, each))).join('') : digitsOf(parameter, value);
}

/** The elements of an array or the components of a tuple, each with its parameter; undefined for other types. */
function partsOf(parameter: AbiParameter, value: unknown): [AbiParameter, unknown][] | undefined {
  const element = elementOf(parameter);
  if (element) return (value as unknown[]).map((each) => [element, each]);
  if (!('components' in parameter)) return undefined;
  const values = value as Record<string, unknown>;
  return parameter.components.map((part, at) => [
    part,
    values[Array.isArray(value) ? at : (part.name as keyof typeof values)],
  ]);
}

function sequence(parts: readonly Encoding[]): Encoding {
  const heads = parts.map(({ digits, isDynamic }) => (isDynamic ? WORD_DIGITS : digits.length));
  let offset = heads.reduce((total, each) => total + each, 0);
  let tail = '';
  let head = '';
  for (const { digits, isDynamic } of parts) {
    head += isDynamic ? word(offset / 2) : digits;
    if (!isDynamic) continue;
    tail += digits;
    offset += digits.length;
  }
  return { digits: head + tail, isDynamic: tail !== '' };
}

const isBytes = ({ type }: AbiParameter) => type === 'string' || type === 'bytes';

/** The digits of an elementary value: numbers padded on the left to a word, bytes as they are. */
function digitsOf({ type }: AbiParameter, value: unknown): string {
  if (type === 'string') return [...new TextEncoder().encode(value as string)].map(byteText).join('');
  if (type === 'bool') return word(value ? 1 : 0);
  if (typeof value !== 'string') return word(value as bigint | number);
  const digits = value.slice(2).toLowerCase();
  return type === 'address' ? digits.padStart(WORD_DIGITS, '0') : digits;
}

const byteText = (byte: number) => byte.toString(16).padStart(2, '0');
const word = (value: bigint | number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(WORD_DIGITS, '0');
const padded = (digits: string) => digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
