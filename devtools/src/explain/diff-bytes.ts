import { toHex } from './bytes.js';
import { createWork, type Work } from './work-limit.js';

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
const WINDOWS = [64, 1024, 32_768, Number.POSITIVE_INFINITY];
const MOST_WORK = 24 * 1024 * 1024;
const FACTOR = 0x01000193;
/** What the byte that leaves the rolling hash was multiplied by. */
const LEAVING = Array.from({ length: ANCHOR }).reduce<number>((power) => Math.imul(power, FACTOR), 1);

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** The hashes of all runs of ANCHOR bytes that begin in a range. */
function eachHash(bytes: Uint8Array, start: number, end: number, visit: (hash: number, at: number) => boolean): void {
  let hash = 0;
  for (let at = start; at < end + ANCHOR - 1; at++) {
    hash = (Math.imul(hash, FACTOR) + (bytes[at] as number)) | 0;
    const first = at - ANCHOR + 1;
    if (first > start) hash = (hash - Math.imul(bytes[first - 1] as number, LEAVING)) | 0;
    if (first >= start && visit(hash ^ (hash >>> 15), first)) return;
  }
}

function sameAnchor(a: Uint8Array, at: number, b: Uint8Array, other: number): boolean {
  for (let more = 0; more < ANCHOR; more++) if (a[at + more] !== b[other + more]) return false;
  return true;
}

type Place = readonly [a: number, b: number];

/** The nearest positions from which both are equal again for a while, within so many bytes. */
function meeting(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place, within: number): Place | undefined {
  const endA = Math.min(fromA + within, a.length - ANCHOR + 1);
  const endB = Math.min(fromB + within, b.length - ANCHOR + 1);
  const size = 2 ** Math.ceil(Math.log2(2 * Math.max(endB - fromB, 1)));
  const firsts = new Int32Array(size);
  eachHash(b, fromB, endB, (hash, at) => {
    firsts[hash & (size - 1)] ||= at + 1;
    return false;
  });
  let nearest = Number.POSITIVE_INFINITY;
  let found: Place | undefined;
  eachHash(a, fromA, endA, (hash, at) => {
    const other = (firsts[hash & (size - 1)] as number) - 1;
    const distance = at - fromA + other - fromB;
    if (other >= 0 && distance < nearest && sameAnchor(a, at, b, other)) [nearest, found] = [distance, [at, other]];
    return at - fromA >= nearest;
  });
  return found;
}

function nearestMeeting(a: Uint8Array, b: Uint8Array, from: Place, work: Work): Place | undefined {
  const left = Math.max(a.length - from[0], b.length - from[1]);
  for (const [at, window] of WINDOWS.entries()) {
    if (at > 0 && left <= (WINDOWS[at - 1] as number)) return undefined;
    if (!work.spend(2 * Math.min(window, left))) return undefined;
    const found = meeting(a, b, from, window);
    if (found) return found;
  }
  return undefined;
}

function commonStart(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place): number {
  const most = Math.min(a.length - fromA, b.length - fromB);
  let count = 0;
  while (count < most && a[fromA + count] === b[fromB + count]) count++;
  return count;
}

function commonEnd(a: Uint8Array, b: Uint8Array, [fromA, fromB]: Place): number {
  const most = Math.min(a.length - fromA, b.length - fromB);
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

function pieceOf(bytes: Uint8Array, start: number, end: number): Piece {
  const shown = bytes.subarray(start, Math.min(end, start + SHOWN));
  return { at: start, bytes: end - start, hex: toHex(shown), text: lossy.decode(shown) };
}

/**
 * The changes from one body to another in their order, in time and memory linear in both. Where they have little in
 * common, one change may cover what several would.
 */
export function diffBytes(signed: Uint8Array, received: Uint8Array): { changes: ByteChange[]; more: boolean } {
  const work = createWork(MOST_WORK);
  const changes: ByteChange[] = [];
  for (let from: Place = [0, 0]; ; ) {
    const count = commonStart(signed, received, from);
    from = [from[0] + count, from[1] + count];
    if (from[0] === signed.length && from[1] === received.length) return { changes, more: false };
    if (changes.length === MOST_CHANGES) return { changes, more: true };
    let end = nearestMeeting(signed, received, from, work);
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
