import type { Outcome, PlayTape } from './play.js';

/** More plays rarely shrink a tape further. */
const MOST_PLAYS = 3000;

/**
 * Makes a failing tape simpler while the same invariant breaks: deletes chunks, zeroes chunks, and lowers values, until
 * nothing of that helps or `most` schedules have been played. Beyond its end a tape is all zeros, the tamest choice, so
 * zeros at its end count as nothing.
 */
export async function shrink(play: PlayTape, found: Outcome, most = MOST_PLAYS) {
  if (!found.failure) throw new Error('A schedule that breaks no invariant cannot be shrunk.');
  let tape = withoutZeros(found.tape);
  let failure = found.failure;
  let plays = 0;

  /** Keeps the candidate if it is simpler and breaks the same invariant. */
  async function keeps(candidate: readonly number[]): Promise<boolean> {
    if (plays >= most || !isSimpler(candidate, tape)) return false;
    plays++;
    const outcome = await play(candidate);
    if (outcome.failure?.invariant !== failure.invariant) return false;
    // The schedule may have ended before it read the whole tape.
    const read = withoutZeros(outcome.tape);
    tape = isSimpler(read, candidate) ? read : withoutZeros(candidate);
    failure = outcome.failure;
    return true;
  }

  async function deleteChunks(size: number): Promise<void> {
    for (let end = tape.length; end > 0; ) {
      const start = Math.max(0, end - size);
      const isDeleted = await keeps([...tape.slice(0, start), ...tape.slice(end)]);
      end = isDeleted ? Math.min(start, tape.length) : end - Math.max(1, size >> 1);
    }
  }

  async function zeroChunks(size: number): Promise<void> {
    for (let start = 0; start < tape.length; start += size) {
      const chunk = tape.slice(start, start + size);
      if (chunk.some((value) => value !== 0)) {
        await keeps([...tape.slice(0, start), ...chunk.map(() => 0), ...tape.slice(start + size)]);
      }
    }
  }

  /** Finds the least value at a place by halving. */
  async function lower(index: number): Promise<void> {
    let tooLow = -1;
    for (let value = tape[index]; value !== undefined && value > tooLow + 1; value = tape[index]) {
      const middle = tooLow < 0 ? 0 : tooLow + ((value - tooLow) >> 1);
      if (!(await keeps(tape.with(index, middle)))) tooLow = middle;
      if (index >= tape.length) return;
    }
  }

  for (let before: readonly number[] = []; before !== tape && plays < most; ) {
    before = tape;
    for (let size = largestChunk(tape.length); size >= 1; size >>= 1) await deleteChunks(size);
    for (let size = largestChunk(tape.length); size >= 1; size >>= 1) await zeroChunks(size);
    for (let index = tape.length - 1; index >= 0; index--) await lower(index);
  }
  return { tape, failure, plays };
}

/** Shorter, or of the same length with a smaller first difference. */
function isSimpler(left: readonly number[], right: readonly number[]): boolean {
  const [a, b] = [withoutZeros(left), withoutZeros(right)];
  if (a.length !== b.length) return a.length < b.length;
  const index = a.findIndex((value, at) => value !== b[at]);
  return index >= 0 && (a[index] ?? 0) < (b[index] ?? 0);
}

function withoutZeros(tape: readonly number[]): readonly number[] {
  const last = tape.findLastIndex((value) => value !== 0);
  return tape.slice(0, last + 1);
}

function largestChunk(length: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, length)));
}
