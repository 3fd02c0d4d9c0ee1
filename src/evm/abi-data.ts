import { decodeAbiParameters } from 'viem';
import type { Codec } from './codec.js';
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

/**
 * Decodes ABI-encoded values with viem, in time and memory that the length of the data bounds. What it throws quotes
 * data in its message.
 *
 * @throws Error when the bytes do not hold the values, or refer to themselves over and over.
 */
export function decodeData(codecs: readonly Codec[], encoded: Hex): unknown[] {
  const bytes = bytesOf(encoded);
  let left = MOST_READINGS * bytes.length;
  // viem takes everything that it reads of the data by this.
  bytes.subarray = (start, end) => {
    const part = Uint8Array.prototype.subarray.call(bytes, start, end) as Uint8Array<ArrayBuffer>;
    left -= part.length;
    if (left < 0) throw new RangeError('The data refers to itself too often.');
    return part;
  };
  const parameters = codecs.map(({ parameter }) => parameter);
  return decodeAbiParameters(parameters, bytes) as unknown[];
}

/** The position of the first of some values that cannot all be decoded. */
export function firstUndecodable(codecs: readonly Codec[], encoded: Hex): number {
  let [good, bad] = [0, codecs.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      decodeData(codecs.slice(0, middle), encoded);
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return good;
}
