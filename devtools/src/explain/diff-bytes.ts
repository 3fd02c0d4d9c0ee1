import { toHex } from './bytes.js';

/** Where two bodies differ: these bytes of one stand where those of the other do. */
export interface ByteChange {
  /** The text before, which both have; cut. */
  readonly before: string;
  readonly signed: Piece;
  readonly received: Piece;
  /** The text behind, which both have; cut. */
  readonly after: string;
}

/** Some bytes of a body. */
export interface Piece {
  /** Offset in the body, in bytes. */
  readonly at: number;
  /** How many bytes there are; 0 where the other has more. */
  readonly bytes: number;
  /** The first of them in hex, and as text. */
  readonly hex: string;
  readonly text: string;
}

/** Limit of changes that are listed. */
export const MOST_CHANGES = 50;
/** Limit of bytes shown of a piece. */
const SHOWN = 64;
const CONTEXT = 24;
/** This many equal bytes end a change. */
const ANCHOR = 12;
/** Longest change behind which another one is looked for. */
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

/** The nearest places, within a short distance, from which both are equal again for a while. */
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

/** The changes from one body to another in their order, in linear time. A long change covers all to the end that both have. */
export function diffBytes(signed: Uint8Array, received: Uint8Array): { changes: ByteChange[]; more: boolean } {
  const changes: ByteChange[] = [];
  for (let from: Place = [0, 0]; ; ) {
    const count = commonStart(signed, received, from);
    from = [from[0] + count, from[1] + count];
    if (from[0] === signed.length && from[1] === received.length) return { changes, more: false };
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
      after: lossy.decode(signed.subarray(end[0], end[0] + CONTEXT)),
    });
    from = end;
  }
}
