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
  it.each([
    ['endless', 'the schedule does not end', /200 steps/],
    ['rejection', 'unhandled rejection', /Nobody listens/],
    ['callback', 'uncaught exception', /Thrown by a callback/],
    ['unknown operation', 'error: The toy model does not know INCR.', /INCR/],
  ])('finds what is wrong in "%s"', async (world, invariant, what) => {
    const { found } = await find(world);
    expect(found?.failure.invariant).toBe(invariant);
    expect(found?.failure.what).toMatch(what);
  });

  it('ends a thread that hangs in one step, names the seed, and plays on', async () => {
    const own = new Threads(program, 1, 300);
    try {
      const { found } = await search(own, { worlds: ['stuck'], subject, first: 1, seeds: 500 });
      expect(found?.failure.invariant).toBe('a step does not end');
      const seed = found?.seed ?? 0;
      const hangs = search(own, { worlds: ['stuck'], subject, first: seed, seeds: 1 });
      expect((await hangs).found?.seed).toBe(seed);
      expect((await search(own, { worlds: ['sound'], subject, first: 1, seeds: 10 })).played).toBe(10);
    } finally {
      await own.close();
    }
  });
});
