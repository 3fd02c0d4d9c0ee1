import { isRecord } from '../guards.js';
import { isReadable } from '../readable-json.js';
import { attempt, sameBytes, textOf } from './bytes.js';
import { type ByteChange, diffBytes } from './diff-bytes.js';

/** The difference between the body that was signed and the one that was received. */
export interface BodyDiff {
  /** `same`: no difference. `format`: the same JSON, written differently. `bytes`: other content. */
  readonly kind: 'same' | 'format' | 'bytes';
  readonly signedBytes: number;
  readonly receivedBytes: number;
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
  if (sameBytes(signed, received)) return { kind: 'same', ...sizes, bytes: [] };
  const isSmall = signed.length + received.length <= MOST_JSON;
  const json = isSmall ? canonical(signed) : undefined;
  const kind = json !== undefined && json === canonical(received) ? 'format' : 'bytes';
  const { changes, more } = diffBytes(signed, received);
  return { kind, ...sizes, bytes: changes, ...(more && { more }) };
}

/** JSON with sorted keys; undefined for a body that is not JSON, has too many values, or is nested too deeply. */
function canonical(bytes: Uint8Array): string | undefined {
  const text = isReadable(bytes) ? textOf(bytes) : undefined;
  return text === undefined ? undefined : attempt(() => JSON.stringify(JSON.parse(text), sorted));
}

const sorted = (_: string, value: unknown) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
