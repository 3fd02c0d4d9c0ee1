import { attempt, isRecord } from '../guards.js';
import { isReadable } from '../readable-json.js';
import { textOf, toHex } from './bytes.js';

/** The difference between the body that was signed and the one that was received. */
export interface BodyDiff {
  /** `same`: no difference. `format`: the same JSON, written differently. `bytes`: other content. */
  readonly kind: 'same' | 'format' | 'bytes';
  readonly signedBytes: number;
  readonly receivedBytes: number;
  /** Offset of the first byte that differs. Everything before it is equal. */
  readonly at: number;
  /** The end of the equal text before it. */
  readonly before: string;
  /** From the first to the last byte that differs. */
  readonly signed: Piece;
  readonly received: Piece;
}

/** Some bytes of a body. */
export interface Piece {
  /** Number of bytes; 0 if only the other body has bytes here. */
  readonly bytes: number;
  /** The first 64 bytes, in hex and as text. */
  readonly hex: string;
  readonly text: string;
}

/** Maximum total bytes to compare as JSON. */
const MOST_JSON = 6 * 1024 * 1024;
/** Numbers of bytes that are shown. */
const [SHOWN, CONTEXT] = [64, 24];

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** Compares two bodies. Never throws; time and memory are linear in both. */
export function diffBodies(signed: Uint8Array, received: Uint8Array): BodyDiff {
  const most = Math.min(signed.length, received.length);
  let at = 0;
  while (at < most && signed[at] === received[at]) at++;
  let end = 0;
  while (end < most - at && signed[signed.length - 1 - end] === received[received.length - 1 - end]) end++;
  const piece = (body: Uint8Array): Piece => {
    const changed = body.subarray(at, body.length - end);
    const shown = changed.subarray(0, SHOWN);
    return { bytes: changed.length, hex: toHex(shown), text: lossy.decode(shown) };
  };
  return {
    kind: at === signed.length && at === received.length ? 'same' : isSameJson(signed, received) ? 'format' : 'bytes',
    signedBytes: signed.length,
    receivedBytes: received.length,
    at,
    before: lossy.decode(signed.subarray(Math.max(0, at - CONTEXT), at)),
    signed: piece(signed),
    received: piece(received),
  };
}

function isSameJson(signed: Uint8Array, received: Uint8Array): boolean {
  if (signed.length + received.length > MOST_JSON) return false;
  const json = canonical(signed);
  return json !== undefined && json === canonical(received);
}

/** JSON with sorted keys; undefined for a body that is not JSON, has too many values, or is nested too deeply. */
function canonical(bytes: Uint8Array): string | undefined {
  const text = isReadable(bytes) ? textOf(bytes) : undefined;
  return text === undefined ? undefined : attempt(() => JSON.stringify(JSON.parse(text), sorted));
}

const sorted = (_: string, value: unknown) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
