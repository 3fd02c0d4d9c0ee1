import { sameBytes } from './bytes.js';
import { type ByteChange, diffBytes, MOST_CHANGES } from './diff-bytes.js';
import { diffJson, type ValueChange } from './diff-json.js';

/** The difference between the body that was signed and the one that was received. */
export interface BodyDiff {
  /**
   * `same`: no difference. `format`: the same JSON, written differently. `values`: both are JSON, and values differ.
   * `bytes`: one of them is not JSON, or they are too large or too deeply nested to compare as JSON.
   */
  readonly kind: 'same' | 'format' | 'values' | 'bytes';
  readonly signedBytes: number;
  readonly receivedBytes: number;
  /** With `values`: the values that differ, 50 at most. */
  readonly values: readonly ValueChange[];
  /** The bytes that differ, in order, 50 changes at most. */
  readonly bytes: readonly ByteChange[];
  /** Set when there are more differences than listed. */
  readonly more?: true | undefined;
}

/** Maximum total bytes to compare as JSON. */
const MOST_JSON = 6 * 1024 * 1024;

/** Compares two bodies. Never throws; time and memory are linear in both. */
export function diffBodies(signed: Uint8Array, received: Uint8Array): BodyDiff {
  const sizes = { signedBytes: signed.length, receivedBytes: received.length };
  if (sameBytes(signed, received)) return { kind: 'same', ...sizes, values: [], bytes: [] };
  const isSmall = signed.length + received.length <= MOST_JSON;
  const values = isSmall ? diffJson(signed, received) : undefined;
  const { changes: bytes, more } = diffBytes(signed, received);
  const isMore = more || (values?.length ?? 0) > MOST_CHANGES;
  return {
    kind: values === undefined ? 'bytes' : values.length > 0 ? 'values' : 'format',
    ...sizes,
    values: values?.slice(0, MOST_CHANGES) ?? [],
    bytes,
    ...(isMore && { more: true }),
  };
}
