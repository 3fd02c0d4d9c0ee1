import type { Hex } from './types.js';

const HASH = /^0x[\da-f]{64}$/i;
export const ADDRESS = /^0x[\da-f]{40}$/i;
export const BYTES = /^0x[\da-f]*$/i;
const QUANTITY = /^0x[\da-f]{1,64}$/i;

/** Whether a value is a 32-byte word in hex text, such as a keccak256 hash. */
export function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && HASH.test(value);
}

/** Reads and checks the fields of an object written by a node. Hex text is returned in lower case. */
export class WireFields {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    /** Throws the error for a key and its expected value. */
    private readonly fail: (key: string, expected: string) => never,
  ) {}

  readonly hash = (key: string): Hex => this.#text(key, HASH, 'a hash: 0x and 64 hex digits');
  readonly address = (key: string): Hex => this.#text(key, ADDRESS, 'an address: 0x and 40 hex digits');
  /** A quantity: hex text, or the safe JSON number that some nodes write. */
  readonly quantity = (key: string): bigint => {
    const value = this.fields[key] as number;
    if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
    return BigInt(this.#text(key, QUANTITY, 'a quantity as hex text'));
  };

  readonly bytes = (key: string): Hex => {
    const text = this.#text(key, BYTES, 'bytes as hex text');
    return text.length % 2 === 0 ? text : this.fail(key, 'an even number of hex digits');
  };

  /** A quantity that fits a number. */
  readonly position = (key: string): number => {
    const value = Number(this.quantity(key));
    return Number.isSafeInteger(value) ? value : this.fail(key, 'a position in a block');
  };

  /** The value of a key; undefined and null are returned unchanged. */
  optional<Value>(key: string, read: (key: string) => Value): Value | null | undefined {
    const value = this.fields[key];
    return value === undefined || value === null ? value : read(key);
  }

  /** The value of an optional key; undefined if it is null, absent or malformed. */
  unneeded<Value>(key: string, read: (key: string) => Value): Value | undefined {
    if (this.fields[key] == null) return undefined;
    try {
      return read(key);
    } catch {
      // Malformed, which makes no difference where it is not needed.
    }
  }

  #text(key: string, pattern: RegExp, expected: string): Hex {
    const value = this.fields[key];
    if (typeof value !== 'string' || !pattern.test(value)) return this.fail(key, expected);
    return value.toLowerCase() as Hex;
  }
}

/** The bytes of hex text, which must be lower case and of even length. */
export function bytesOf(hex: Hex): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [hex.charCodeAt(2 * at + 2), hex.charCodeAt(2 * at + 3)];
    bytes[at] = (high - (high > 57 ? 87 : 48)) * 16 + low - (low > 57 ? 87 : 48);
  }
  return bytes;
}
