import type { AbiData } from './abi-data.js';
import { type Codec, placeSize, readAt } from './codec.js';
import { Problem } from './decode-error.js';

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
