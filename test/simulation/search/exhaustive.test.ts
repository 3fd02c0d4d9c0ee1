import { describe, expect, it } from 'vitest';
import { explore, type PlayWay } from './exhaustive.js';

const failureOf = (error: unknown) => ({ invariant: String((error as Error).message), what: '', history: [] });

interface SmallRun {
  options(): readonly string[];
  take(option: string): void;
  fingerprint(): string;
}

/** Plays ways of a state machine. */
function ways(start: () => SmallRun): PlayWay {
  return async (decide) => {
    const run = start();
    for (;;) {
      const options = run.options();
      const index = decide(
        options.map((name) => ({ name })),
        () => run.fingerprint(),
      );
      if (index === undefined) return;
      run.take(options[index] ?? '');
    }
  };
}

/** Two processes that each take some steps, in any order. */
function grid(steps: number): PlayWay {
  return ways(() => {
    const at = { a: 0, b: 0 };
    return {
      options: () => (['a', 'b'] as const).filter((name) => at[name] < steps),
      take(name) {
        at[name as 'a' | 'b']++;
      },
      fingerprint: () => `${at.a} ${at.b}`,
    };
  });
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
    const start = ways(() => {
      let at = 's';
      return {
        options: () => edges[at] ?? [],
        take(option) {
          at = option;
          if (at === 'v') throw new Error('reached');
        },
        fingerprint: () => at,
      };
    });
    expect((await explore(start, { mostDepth: 3, failureOf })).found?.way).toEqual(['t', 'u', 'v']);
    expect((await explore(start, { mostDepth: 2, failureOf })).found).toBeUndefined();
  });

  it('refuses a world that does not repeat', async () => {
    let plays = 0;
    const play: PlayWay = async (decide) => {
      const options = plays++ === 0 ? 2 : 3;
      decide(
        Array.from({ length: options }, (_, index) => ({ name: `${index}` })),
        () => 'a',
      );
    };
    const { found } = await explore(play, { mostDepth: 2, failureOf });
    expect(found?.failure.invariant).toContain('depends on more than the choices');
  });
});
