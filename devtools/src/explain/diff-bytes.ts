import { toHex } from './bytes.js';

/** A difference between two bodies, with both versions. */
export interface ByteChange {
  /** The common text before it; cut. */
  readonly before: string;
  readonly signed: Piece;
  readonly received: Piece;
}

/** Some bytes of a body. */
export interface Piece {
  /** Offset in the body, in bytes. */
  readonly at: number;
  /** Number of bytes; 0 if only the other body has bytes here. */
  readonly bytes: number;
  /** The first bytes in hex, and as text. */
  readonly hex: string;
  readonly text: string;
}

/** Maximum number of listed changes. */
const MOST_CHANGES = 50;
/** Maximum number of bytes shown. */
const SHOWN = 64;
const CONTEXT = 24;
/** Number of equal bytes that end a change. */
const ANCHOR = 12;
/** Maximum length of a change after which the search continues. */
const LONGEST = 128;

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

type Place = readonly [a: number, b: number];

function commonStart(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place, most = Number.POSITIVE_INFINITY): number {
  const end = Math.min(a.length - fromA, b.length - fromB, most);
  let count = 0;
  while (count < end && a[fromA + count] === b[fromB + count]) count++;
  return count;
}

function commonEnd(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place): number {
  const most = Math.min(a.length - fromA, b.length - fromB);
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

/** The nearest positions, within a short distance, where the bodies match again. */
function meeting(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place): Place | undefined {
  for (let distance = 1; distance <= LONGEST; distance++) {
    for (let ofA = 0; ofA <= distance; ofA++) {
      const place: Place = [fromA + ofA, fromB + distance - ofA];
      if (commonStart(a, b, place, ANCHOR) === ANCHOR) return place;
    }
  }
  return undefined;
}

function pieceOf(bytes: Uint8Array, start: number, end: number): Piece {
  const shown = bytes.subarray(start, Math.min(end, start + SHOWN));
  return { at: start, bytes: end - start, hex: toHex(shown), text: lossy.decode(shown) };
}

/** The changes from one body to another, in order and in linear time. A long change extends to the common end. */
export function diffBytes(signed: Uint8Array, received: Uint8Array): { changes: ByteChange[]; more?: true } {
  const changes: ByteChange[] = [];
  for (let from: Place = [0, 0]; ; ) {
    const count = commonStart(signed, received, from);
    from = [from[0] + count, from[1] + count];
    if (from[0] === signed.length && from[1] === received.length) return { changes };
    if (changes.length === MOST_CHANGES) return { changes, more: true };
    let end = meeting(signed, received, from);
    if (end === undefined) {
      const same = commonEnd(signed, received, from);
      end = [signed.length - same, received.length - same];
    }
    changes.push({
      before: lossy.decode(signed.subarray(Math.max(0, from[0] - CONTEXT), from[0])),
      signed: pieceOf(signed, from[0], end[0]),
      received: pieceOf(received, from[1], end[1]),
    });
    from = end;
  }
}
