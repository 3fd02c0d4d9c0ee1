import type { JsonValue } from '../events/types.js';
import { type AbiData, WORD } from './abi-data.js';

/** Reads values of one Solidity type from ABI encoding and from wire inputs. */
export interface Codec {
  /** Canonical text of the type, as in a signature: `(address,uint256)[]`. */
  readonly type: string;
  /** The type with the names of components, which distinguishes types of the same signature. */
  readonly shape: string;
  /** Whether the topic of an indexed input of this type contains its keccak256 hash. */
  readonly isHashed: boolean;
  /** Length of the encoding in bytes; undefined for a dynamic type. */
  readonly size: number | undefined;
  /**
   * Reads the value encoded at a position. The caller has claimed bytes of a fixed size. Throws a `Problem` if the
   * value is invalid.
   */
  readonly read: (data: AbiData, at: number) => unknown;
  /** Converts the value of an input, in which a bigint is an integer. Throws a `Problem` unless it is exact. */
  readonly fromWire: (wire: JsonValue) => unknown;
  /** Whether an input's value may represent the value from the chain. */
  readonly agrees: (value: unknown, wire: JsonValue) => boolean;
  /** The elements of an array, or the components of a tuple, in order. Other types have none. */
  readonly partsOf?: (value: unknown) => readonly Part[];
}

/** A part of a value. `name`: its key if the value is an object. */
export interface Part {
  readonly codec: Codec;
  readonly value: unknown;
  readonly name?: string | undefined;
}

/** Size of a value's head in bytes: its encoding, or an offset for a dynamic type. */
export function placeSize({ size = WORD }: Codec): number {
  return size;
}

/** Reads the value with its head at `at`; dynamic offsets are relative to `base`. The caller has claimed the head. */
export function readAt(codec: Codec, data: AbiData, at: number, base: number): unknown {
  return codec.read(data, codec.size === undefined ? base + data.position(at) : at);
}
