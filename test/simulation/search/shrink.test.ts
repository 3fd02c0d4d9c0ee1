import { describe, expect, it } from 'vitest';
import type { Outcome, PlayTape } from './play.js';
import { shrink } from './shrink.js';

const failing = (tape: readonly number[], invariant: string): Outcome => ({
  tape,
  steps: 1,
  failure: { invariant, what: '', history: [] },
});

describe('shrink', () => {
  it('keeps only the choices that break the invariant', async () => {
    // Breaks when a 7 or more is followed, anywhere, by a 3 or more.
    const play: PlayTape = async (tape) => {
      const first = tape.findIndex((value) => value >= 7);
      const isBroken = first >= 0 && tape.slice(first + 1).some((value) => value >= 3);
      return isBroken ? failing(tape, 'a') : { tape, steps: 1 };
    };
    const tape = Array.from({ length: 200 }, (_, index) => (index * 37) % 11);
    expect((await shrink(play, failing(tape, 'a'))).tape).toEqual([7, 3]);
  });

  it('does not take another invariant that breaks on the way', async () => {
    const play: PlayTape = async (tape) => failing(tape, tape.filter((value) => value > 0).length >= 5 ? 'a' : 'b');
    const shrunk = await shrink(play, failing([1, 2, 3, 4, 0, 5, 6, 7, 8], 'a'));
    expect(shrunk.failure.invariant).toBe('a');
    expect(shrunk.tape).toEqual([1, 1, 1, 1, 1]);
  });

  it('ends after the number of schedules that it may play', async () => {
    const tape = Array.from({ length: 1000 }, () => 9);
    const shrunk = await shrink(async (each) => failing(each, each.length > 900 ? 'a' : 'b'), failing(tape, 'a'), 25);
    expect(shrunk.plays).toBe(25);
  });
});
