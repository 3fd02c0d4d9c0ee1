import { decodeAbiParameters, hexToBytes } from 'viem';
import type { Codec } from './codec.js';
import type { Hex } from './types.js';

/** Encoders may share what is there twice; ten thousand references to one megabyte are an attack. */
const MOST_READINGS = 8;

/** Counts what is read of it, so that references which lead to the same bytes over and over end in an error. */
class MeteredBytes extends Uint8Array {
  static get [Symbol.species]() {
    return Uint8Array;
  }

  left = MOST_READINGS * this.length;

  override subarray(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    const part = super.subarray(start, end);
    this.left -= part.length;
    if (this.left < 0) throw new RangeError('The data refers to itself too often.');
    return part as Uint8Array<ArrayBuffer>;
  }
}

/**
 * Decodes ABI-encoded values with viem, in time and memory that its length bounds. The messages of its errors quote data.
 *
 * @throws Error when the bytes do not hold the values.
 */
export function decodeData(codecs: readonly Codec[], encoded: Hex): unknown[] {
  const bytes = new MeteredBytes(hexToBytes(encoded));
  return decodeAbiParameters(
    codecs.map(({ parameter }) => parameter),
    bytes,
  ) as unknown[];
}

/** The position of the first value that cannot be decoded; -1 when all can be. */
export function firstUndecodable(codecs: readonly Codec[], encoded: Hex): number {
  return codecs.findIndex((_, at) => {
    try {
      decodeData(codecs.slice(0, at + 1), encoded);
      return false;
    } catch {
      return true;
    }
  });
}
