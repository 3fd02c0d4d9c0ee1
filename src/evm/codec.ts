import type { JsonValue } from '../events/types.js';
import { type AbiData, WORD } from './abi-data.js';
import { Problem } from './decode-error.js';

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

/** A value to decode. */
export interface Encoded {
  readonly codec: Codec;
  /** Its name in error messages. */
  readonly label: string;
}

/** Creates the error for a value that cannot be decoded, from its label and path. */
export type Fail = (input: string, reason: string) => Error;

/** Decodes the top-level value whose head starts at byte `at`. */
export function decodeValue({ codec, label }: Encoded, data: AbiData, at: number, fail: Fail): unknown {
  try {
    data.claim(at, placeSize(codec));
    return readAt(codec, data, at, 0);
  } catch (error) {
    throw error instanceof Problem ? fail(label + error.path, error.message) : error;
  }
}

/** Decodes ABI-encoded values in time and memory bounded by the length of the data. */
export function decodeValues(values: readonly Encoded[], data: AbiData, fail: Fail): unknown[] {
  let at = 0;
  return values.map((value) => {
    const decoded = decodeValue(value, data, at, fail);
    at += placeSize(value.codec);
    return decoded;
  });
}
