import { describe, expect, it } from 'vitest';
import { explore, type SmallRun } from './exhaustive.js';

const failureOf = (error: unknown) => ({ invariant: String((error as Error).message), what: '', history: [] });

/** Two processes that each take some steps, in any order. */
function grid(steps: number, check: (a: number, b: number) => void = () => {}): () => SmallRun {
  return () => {
    const at = { a: 0, b: 0 };
    const options = () => (['a', 'b'] as const).filter((name) => at[name] < steps);
    return {
      options,
      async take(index) {
        const name = options()[index];
        if (name === undefined) throw new RangeError(`There is no option ${index}.`);
        at[name]++;
        check(at.a, at.b);
      },
      fingerprint: () => `${at.a} ${at.b}`,
    };
  };
}

/** Two processes that read a counter and write it back incremented. */
function lostUpdate(): SmallRun {
  let counter = 0;
  const read: (number | undefined)[] = [undefined, undefined];
  const done = [false, false];
  const options = () => [0, 1].filter((process) => !done[process]).map(String);
  return {
    options,
    async take(index) {
      const process = Number(options()[index]);
      const value = read[process];
      if (value === undefined) read[process] = counter;
      else {
        counter = value + 1;
        done[process] = true;
      }
      if (done.every(Boolean) && counter !== 2) throw new Error('lost update');
    },
    fingerprint: () => JSON.stringify({ counter, read, done }),
  };
}

describe('explore', () => {
  it('explores each state once, whatever order leads to it', async () => {
    const explored = await explore(grid(3), { mostDepth: 100, failureOf });
    expect(explored).toEqual({ states: 16, transitions: 24, depth: 6, cutOff: 0 });
  });

  it('stops at the depth that it may reach, and says how much it did not explore', async () => {
    const explored = await explore(grid(3), { mostDepth: 3, failureOf });
    expect(explored).toEqual({ states: 10, transitions: 12, depth: 3, cutOff: 4 });
  });

  it('explores a state again that it reaches by a shorter way', async () => {
    // A detour of two steps leads to the state that a short cut leads to.
    const edges: Record<string, readonly string[]> = { s: ['x', 't'], x: ['t'], t: ['u'], u: ['v'], v: [] };
    const start = (): SmallRun => {
      let at = 's';
      return {
        options: () => edges[at] ?? [],
        async take(index) {
          at = edges[at]?.[index] ?? '';
          if (at === 'v') throw new Error('reached');
        },
        fingerprint: () => at,
      };
    };
    expect((await explore(start, { mostDepth: 3, failureOf })).found?.path).toEqual(['t', 'u', 'v']);
    expect((await explore(start, { mostDepth: 2, failureOf })).found).toBeUndefined();
  });

  it('finds the one order that breaks an invariant, and names it', async () => {
    const { found } = await explore(lostUpdate, { mostDepth: 10, failureOf });
    expect(found?.failure.invariant).toBe('lost update');
    expect(found?.path).toEqual(['0', '1', '0', '1']);
  });

  it('finds what breaks in the last state alone', async () => {
    const check = (a: number, b: number) => {
      if (a === 4 && b === 4) throw new Error('corner');
    };
    const { found } = await explore(grid(4, check), { mostDepth: 8, failureOf });
    expect(found?.path).toHaveLength(8);
    expect((await explore(grid(4, check), { mostDepth: 7, failureOf })).found).toBeUndefined();
  });
});
