import { decodeAbiParameters } from 'viem';
import { Problem } from './decode-error.js';
import type { Codec } from './elementary-codecs.js';
import type { Hex } from './types.js';

/** Encoders may share what is there twice; ten thousand references to one megabyte are an attack. */
const MOST_READINGS = 8;

/** The bytes of hex text that is known to be lower case and whole. */
export function bytesOf(hex: Hex): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [hex.charCodeAt(2 * at + 2), hex.charCodeAt(2 * at + 3)];
    bytes[at] = (high - (high > 57 ? 87 : 48)) * 16 + low - (low > 57 ? 87 : 48);
  }
  return bytes;
}

/** A value that is to be decoded. */
export interface Encoded {
  readonly codec: Codec;
  /** What it is called in messages. */
  readonly label: string;
}

/**
 * Decodes ABI-encoded values, in time and memory that the length of the data bounds.
 *
 * @param fail Makes the error for the value that cannot be decoded, of its label with the way to what is wrong inside it.
 */
export function decodeValues(
  values: readonly Encoded[],
  encoded: Hex,
  fail: (input: string, reason: string) => Error,
): unknown[] {
  if (values.length === 0) return [];
  let decoded: unknown[];
  try {
    decoded = decodeData(values, encoded);
  } catch {
    // What viem throws quotes the data in its message.
    const first = values[firstUndecodable(values, encoded)] as Encoded;
    throw fail(first.label, 'is no value of its type.');
  }
  return values.map(({ codec: { fromChain }, label }, at) => {
    if (fromChain === undefined) return decoded[at];
    try {
      return fromChain(decoded[at]);
    } catch (error) {
      throw error instanceof Problem ? fail(label + error.path, error.message) : error;
    }
  });
}

function decodeData(values: readonly Encoded[], encoded: Hex): unknown[] {
  const bytes = bytesOf(encoded);
  let left = MOST_READINGS * bytes.length;
  // viem takes everything that it reads of the data by this.
  bytes.subarray = (start, end) => {
    const part = Uint8Array.prototype.subarray.call(bytes, start, end) as Uint8Array<ArrayBuffer>;
    left -= part.length;
    if (left < 0) throw new RangeError('The data refers to itself too often.');
    return part;
  };
  const parameters = values.map(({ codec }) => codec.parameter);
  return decodeAbiParameters(parameters, bytes) as unknown[];
}

/** The position of the first of some values that cannot all be decoded. */
function firstUndecodable(values: readonly Encoded[], encoded: Hex): number {
  let [good, bad] = [0, values.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      decodeData(values.slice(0, middle), encoded);
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return good;
}
