import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOf } from '../defects/index.js';
import { smallWorlds } from '../small/index.js';
import { buildProgram } from './program.js';
import { Threads } from './threads.js';

let threads: Threads;
beforeAll(async () => {
  threads = new Threads(await buildProgram(), availableParallelism());
});
afterAll(() => threads.close());

async function explore(world: string, defect?: string) {
  const subject = await bundleOf(defect);
  const depth = smallWorlds.get(world)?.depth ?? 0;
  const { explored } = await threads.ask({ kind: 'explore', world, subject, depth });
  if (explored === undefined) throw new Error(`${world} was not explored.`);
  return explored;
}

describe('every interleaving', { timeout: 600_000 }, () => {
  it.each([...smallWorlds.keys()])('of the small world "%s" keeps the invariants', async (world) => {
    const { states, depth, found } = await explore(world);
    expect(found).toBeUndefined();
    expect(states).toBeGreaterThan(100);
    expect(depth).toBeGreaterThan(5);
  });

  it.each([
    ['memory', 'memory forgets what is done', 'effect twice without a cause'],
    ['leases', 'a held key is a duplicate', 'acknowledged without effect'],
    ['leases', 'the record comes before the run', 'acknowledged without effect'],
  ])('of "%s" shows the defect "%s"', async (world, defect, invariant) => {
    const { found } = await explore(world, defect);
    expect(found?.failure.invariant).toBe(invariant);
  });
});
