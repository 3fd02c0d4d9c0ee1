import { type AbiData, WORD } from './abi-data.js';
import { Problem } from './decode-error.js';
import type { Codec } from './elementary-codecs.js';

/** A value to decode. */
export interface Encoded {
  readonly codec: Codec;
  /** Its name in error messages. */
  readonly label: string;
}

/** Creates the error for a value that cannot be decoded, from its label and path. */
export type Fail = (input: string, reason: string) => Error;

/** Bytes that a value takes among others: its encoding, or an offset if its size depends on the value. */
export function placeSize({ size = WORD }: Codec): number {
  return size;
}

/** Reads the value whose place is at `at`, claimed, in a sequence that starts at `base`. */
export function readAt(codec: Codec, data: AbiData, at: number, base: number): unknown {
  return codec.read(data, codec.size === undefined ? base + data.position(at) : at);
}

/** Decodes the value whose place is at `at` among the outermost of the data. */
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
