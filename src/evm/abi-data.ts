import { Problem } from './decode-error.js';

/** Bytes in a word, the unit of the encoding. */
export const WORD = 32;

/** Encoders may share repeated data; ten thousand references to one megabyte are an attack. */
const MOST_READINGS = 8;

/**
 * ABI-encoded data as hex text. Positions and sizes are in bytes. Codecs claim what they read, before they allocate
 * anything for it: it must be part of the data, and all claims together are at most 8 × its length. So time and memory
 * are bounded by that length.
 */
export class AbiData {
  /** Bytes claimed so far, with padding. After all values were read it is the length of the data, unless they overlap. */
  claimed = 0;
  readonly #length: number;

  constructor(
    private readonly hex: string,
    /** Position of the first digit: after `0x`, or after the selector of a call. */
    private readonly start = 2,
  ) {
    this.#length = (hex.length - start) / 2;
  }

  /** @throws Problem when these bytes are not part of the data, or too much was claimed. */
  claim(at: number, size: number): void {
    this.claimed += Math.ceil(size / WORD) * WORD;
    // The padding of the last value may be absent.
    if (at + size > this.#length) throw new Problem('is not a value of its type: the data ends before it.');
    if (this.claimed > MOST_READINGS * this.#length) throw new Problem('repeats other values of the data too often.');
  }

  /** The hex digits of claimed bytes. */
  digits(at: number, size: number): string {
    const from = this.start + 2 * at;
    return this.hex.slice(from, from + 2 * size);
  }

  /** The offset or length in a claimed word. It is exact up to 2^53; `claim` refuses what is above. */
  position(at: number): number {
    return Number.parseInt(this.digits(at, WORD), 16);
  }
}
