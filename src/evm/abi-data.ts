import { Problem } from './decode-error.js';

/** Bytes in a word, the unit of the encoding. */
export const WORD = 32;

/** Encoders may share repeated data, but ten thousand references to one megabyte are an attack. */
const MOST_READINGS = 8;

/**
 * ABI-encoded data as hex text. Positions and sizes are in bytes. Codecs claim bytes before they allocate memory for
 * them. Claimed bytes must be part of the data, and all claims together are limited to 8 × its length, which bounds
 * time and memory.
 */
export class AbiData {
  /** Bytes claimed so far, with padding. After all values were read, equals the data's length unless values overlap. */
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

  /** The offset or length in a claimed word. Exact up to 2^53; `claim` refuses larger ones. */
  position(at: number): number {
    return Number.parseInt(this.digits(at, WORD), 16);
  }
}
