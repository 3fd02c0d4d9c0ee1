import type { JsonValue } from '../events/types.js';
import { type AbiData, WORD } from './abi-data.js';

/** Reads values of one Solidity type, from the chain and from the inputs on the wire. */
export interface Codec {
  /** Canonical text of the type, as in a signature: `(address,uint256)[]`. */
  readonly type: string;
  /** The type with the names of components, which distinguishes types of the same signature. */
  readonly shape: string;
  /** Whether the topic of an indexed input of this type contains its keccak256 hash. */
  readonly isHashed: boolean;
  /** Bytes of the encoding of any value; undefined if they depend on the value. */
  readonly size: number | undefined;
  /**
   * Reads the value that is encoded at a position. Bytes of a fixed size are claimed before. Throws a `Problem` unless it
   * is a value of the type.
   */
  readonly read: (data: AbiData, at: number) => unknown;
  /** Converts the value of an input. Throws a `Problem` unless it is exact. */
  readonly fromWire: (wire: JsonValue) => unknown;
  /** Whether the value of an input may represent a value from the chain. */
  readonly agrees: (value: unknown, wire: JsonValue) => boolean;
}

/** Bytes that a value takes among others: its encoding, or an offset if its size depends on the value. */
export function placeSize({ size = WORD }: Codec): number {
  return size;
}

/** Reads the value whose place is at `at`, claimed, in a sequence that starts at `base`. */
export function readAt(codec: Codec, data: AbiData, at: number, base: number): unknown {
  return codec.read(data, codec.size === undefined ? base + data.position(at) : at);
}
