import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleWith } from '../defects/defect.js';
import { defects } from '../defects/index.js';
import { buildProgram } from './program.js';
import { search } from './search.js';
import { Threads } from './threads.js';

let threads: Threads;
beforeAll(async () => {
  threads = new Threads(await buildProgram(), availableParallelism());
});
afterAll(() => threads.close());

it.each(defects)(
  'the simulation finds the defect "$name" within $foundWithin schedules',
  { timeout: 300_000 },
  async (defect) => {
    const subject = await bundleWith(defect);
    const { found } = await search(threads, { worlds: defect.worlds, subject, first: 1, seeds: defect.foundWithin });
    expect(found).toBeDefined();
    // Found by an invariant, and not because the world or a model failed.
    expect(found?.failure.invariant).not.toMatch(/^error/);
  },
);
