import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './program.js';
import { search } from './search.js';
import { Threads } from './threads.js';

/** The toy worlds need no code of the receiver. */
const subject = '';
let program: string;
let threads: Threads;

beforeAll(async () => {
  program = await buildProgram(fileURLToPath(new URL('./toy-worlds.ts', import.meta.url)));
  threads = new Threads(program, 2);
});
afterAll(() => threads.close());

const find = (world: string, seeds = 2000) => search(threads, { worlds: [world], subject, first: 1, seeds });

describe('a search', { timeout: 60_000 }, () => {
  it('finds a planted bug, and says in which schedule', async () => {
    const { found } = await find('lost update');
    expect(found[0]?.failure.invariant).toBe('lost update');
    const again = await search(threads, { worlds: ['lost update'], subject, first: found[0]?.seed ?? 0, seeds: 1 });
    expect(again.found[0]).toEqual(found[0]);
  });

  it('shrinks what it found to the choices that matter, and replays it', async () => {
    const { found } = await find('lost update');
    const tape = found[0]?.tape ?? [];
    const shrunk = await threads.ask({ kind: 'tape', world: 'lost update', subject, tape, isShrunk: true });
    const least = shrunk.found[0];
    expect(least?.tape.length).toBeLessThan(tape.length);
    expect(least?.tape.filter((choice) => choice > 0).length).toBeLessThanOrEqual(4);
    const replayed = { kind: 'tape', world: 'lost update', subject, tape: least?.tape ?? [], isShrunk: false } as const;
    const { found: again } = await threads.ask(replayed);
    expect(again[0]?.failure).toEqual(least?.failure);
    expect(again[0]?.failure.history.at(-1)).toMatch(/ ms {2}clerk \d +writes counter=1$/);
  });

  it('counts schedules and steps of each world, and goes on to the number of failures asked for', async () => {
    const searched = await search(threads, {
      worlds: ['sound', 'lost update'],
      subject,
      first: 5,
      seeds: 700,
      mostFailures: 3,
    });
    expect(searched.failures).toBeGreaterThanOrEqual(3);
    const sound = await search(threads, { worlds: ['sound'], subject, first: 5, seeds: 700 });
    expect(sound).toMatchObject({ played: 700, steps: 700, failures: 0, found: [] });
    expect(sound.worlds.get('sound')).toMatchObject({ played: 700, steps: 700 });
  });

  it.each([
    ['endless', 'the schedule does not end', /200 steps/],
    ['rejection', 'unhandled rejection', /Nobody listens/],
    ['callback', 'uncaught exception', /Thrown by a callback/],
    ['unknown operation', 'error: The toy model does not know INCR.', /INCR/],
  ])('finds what is wrong in "%s"', async (world, invariant, what) => {
    const { found } = await find(world);
    expect(found[0]?.failure.invariant).toBe(invariant);
    expect(found[0]?.failure.what).toMatch(what);
  });

  it('ends a thread that hangs in one step, names the seed, and plays on', async () => {
    const own = new Threads(program, 1, 300);
    try {
      const { found } = await search(own, { worlds: ['stuck'], subject, first: 1, seeds: 500 });
      expect(found[0]?.failure.invariant).toBe('a step does not end');
      const seed = found[0]?.seed ?? 0;
      const hangs = search(own, { worlds: ['stuck'], subject, first: seed, seeds: 1 });
      expect((await hangs).found[0]?.seed).toBe(seed);
      expect((await search(own, { worlds: ['sound'], subject, first: 1, seeds: 10 })).played).toBe(10);
    } finally {
      await own.close();
    }
  });

  it('refuses a world that nobody knows', async () => {
    await expect(find('moon')).rejects.toThrow('There is no world moon.');
  });
});
