import type { Hex } from './types.js';

const HASH = /^0x[\da-f]{64}$/i;
export const ADDRESS = /^0x[\da-f]{40}$/i;
export const BYTES = /^0x[\da-f]*$/i;
const QUANTITY = /^0x[\da-f]{1,64}$/i;

/** Whether a value is the text of a keccak256 hash or of any other word of 32 bytes. */
export function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && HASH.test(value);
}

/** Reads the keys of an object as nodes write them, each as what it must be. Hex text comes in lower case. */
export class WireFields {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    /** Throws; told the key, and what was expected there. */
    private readonly fail: (key: string, expected: string) => never,
  ) {}

  readonly hash = (key: string): Hex => this.#text(key, HASH, 'a hash: 0x and 64 hex digits');
  readonly address = (key: string): Hex => this.#text(key, ADDRESS, 'an address: 0x and 40 hex digits');
  readonly quantity = (key: string): bigint => BigInt(this.#text(key, QUANTITY, 'a quantity as hex text'));

  readonly bytes = (key: string): Hex => {
    const text = this.#text(key, BYTES, 'bytes as hex text');
    return text.length % 2 === 0 ? text : this.fail(key, 'whole bytes: it has half of one');
  };

  /** A quantity that counts things of a block. */
  position(key: string): number {
    const value = Number(this.quantity(key));
    return Number.isSafeInteger(value) ? value : this.fail(key, 'a position that a block can have');
  }

  /** What a key holds; undefined or null where that is what it holds. */
  optional<Value>(key: string, read: (key: string) => Value): Value | null | undefined {
    const value = this.fields[key];
    return value === undefined || value === null ? value : read(key);
  }

  #text(key: string, pattern: RegExp, expected: string): Hex {
    const value = this.fields[key];
    if (typeof value !== 'string' || !pattern.test(value)) return this.fail(key, expected);
    return value.toLowerCase() as Hex;
  }
}
