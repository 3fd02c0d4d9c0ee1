import { describe, expect, it } from 'vitest';
import { explore } from '../search/exhaustive.js';
import { type Rules, smallReorgs } from './small-reorgs.js';

function search(rules: Partial<Rules> = {}) {
  return explore(smallReorgs({ deliveries: 2, flips: 3, passes: 3, ...rules }), {
    mostDepth: 100,
    failureOf: (error) => ({ invariant: 'effect iff canonical', what: String(error), history: [] }),
  });
}

describe('every order of flips, deliveries and passes', { timeout: 300_000 }, () => {
  it('leaves an effect if and only if its block is canonical', async () => {
    const { found, states, cutOff } = await search();
    expect(found).toBeUndefined();
    expect(cutOff).toBe(0);
    expect(states).toBeGreaterThan(10_000);
  });

  it.each([
    ['storesOrphans', 'A is canonical, and the log of A is not applied.'],
    ['readsFinalityFirst', 'is canonical, and the log of A is'],
    ['changesAtVersion', 'is canonical, and the log of A is'],
    ['settlesAtVersion', 'is canonical, and the log of A is'],
  ] as const)('shows what is wrong without %s', async (rule, what) => {
    const { found } = await search({ [rule]: false });
    expect(found?.failure.what).toContain(what);
  });
});
