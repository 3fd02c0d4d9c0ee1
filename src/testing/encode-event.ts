import type { AbiEventItem } from '../evm/abi-items.js';
import type { Codec } from '../evm/codec.js';
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
 * @param values The values in the order of the ABI, in the forms that codecs return.
 */
export function encodeEvent(
  { inputs, isAnonymous, signature }: AbiEventItem,
  values: readonly unknown[],
): Pick<RawLog, 'topics' | 'data'> {
  const topics = isAnonymous ? [] : [hashOf(signature)];
  const data: Encoding[] = [];
  for (const [at, { codec, isIndexed, isHashed }] of inputs.entries()) {
    if (!isIndexed) data.push(encode(codec, values[at]));
    else if (isHashed) topics.push(keccakOf(bytesOf(`0x${inPlace(codec, values[at])}`)));
    else topics.push(`0x${encode(codec, values[at]).digits}`);
  }
  return { topics: topics as RawLog['topics'], data: `0x${sequence(data).digits}` };
}

function encode(codec: Codec, value: unknown): Encoding {
  const parts = codec.partsOf?.(value);
  if (parts) {
    const all = sequence(parts.map((part) => encode(part.codec, part.value)));
    return codec.type.endsWith('[]') ? { digits: word(parts.length) + all.digits, isDynamic: true } : all;
  }
  const digits = digitsOf(codec, value);
  return codec.size === undefined
    ? { digits: word(digits.length / 2) + padded(digits), isDynamic: true }
    : { digits: padded(digits), isDynamic: false };
}

/** The encoding that is hashed for a topic: without lengths and offsets. */
function inPlace(codec: Codec, value: unknown): string {
  const parts = codec.partsOf?.(value);
  return parts ? parts.map((part) => padded(inPlace(part.codec, part.value))).join('') : digitsOf(codec, value);
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

/** The digits of an elementary value: numbers padded on the left to a word, bytes as they are. */
function digitsOf({ type }: Codec, value: unknown): string {
  if (type === 'string') return [...new TextEncoder().encode(value as string)].map(byteText).join('');
  if (type === 'bool') return word(value ? 1 : 0);
  if (typeof value !== 'string') return word(value as bigint | number);
  const digits = value.slice(2).toLowerCase();
  return type === 'address' ? digits.padStart(WORD_DIGITS, '0') : digits;
}

const byteText = (byte: number) => byte.toString(16).padStart(2, '0');
const word = (value: bigint | number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(WORD_DIGITS, '0');
const padded = (digits: string) => digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
