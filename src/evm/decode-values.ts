import { decodeAbiParameters } from 'viem';
import { Problem } from './decode-error.js';
import type { Codec } from './elementary-codecs.js';
import { bytesOf } from './hex.js';
import type { Hex } from './types.js';

/** Encoders may share repeated data; ten thousand references to one megabyte are an attack. */
const MOST_READINGS = 8;

/** A value to decode. */
export interface Encoded {
  readonly codec: Codec;
  /** Its name in error messages. */
  readonly label: string;
}

/**
 * Decodes ABI-encoded values in time and memory bounded by the length of the data.
 *
 * @param fail Creates the error for a value that cannot be decoded, from its label and path.
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
    // viem's error message quotes the data.
    const first = values[firstUndecodable(values, encoded)] as Encoded;
    throw fail(first.label, 'is not a value of its type.');
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
  // viem reads the data only through this method.
  bytes.subarray = (start, end) => {
    const part = Uint8Array.prototype.subarray.call(bytes, start, end) as Uint8Array<ArrayBuffer>;
    left -= part.length;
    if (left < 0) throw new RangeError('The data refers to itself too often.');
    return part;
  };
  const parameters = values.map(({ codec }) => codec.parameter);
  return decodeAbiParameters(parameters, bytes) as unknown[];
}

/** The position of the first value that cannot be decoded. Requires that not all of them can. */
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
