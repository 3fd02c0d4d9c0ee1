import { describe, expect, it } from 'vitest';
import { explore, type PlayWay } from './exhaustive.js';

const failureOf = (error: unknown) => ({ invariant: String((error as Error).message), what: '', history: [] });

/** Plays ways from a state, by the states that may follow each. */
function ways(from: string, next: (state: string) => readonly string[]): PlayWay {
  return async (decide) => {
    for (let state = from; ; ) {
      const options = next(state);
      const named = options.map((name) => ({ name }));
      const index = decide(named, () => state);
      if (index === undefined) return;
      state = options[index] ?? '';
    }
  };
}

/** Two processes that each take three steps, in any order. */
const grid = ways('0 0', (state) => {
  const [a = 0, b = 0] = state.split(' ').map(Number);
  return [...(a < 3 ? [`${a + 1} ${b}`] : []), ...(b < 3 ? [`${a} ${b + 1}`] : [])];
});

describe('explore', () => {
  it('explores each state once, whatever order leads to it', async () => {
    const explored = await explore(grid, { mostDepth: 100, failureOf });
    expect(explored).toEqual({ states: 16, transitions: 24, depth: 6, cutOff: 0 });
  });

  it('stops at the depth that it may reach, and says how much it did not explore', async () => {
    const explored = await explore(grid, { mostDepth: 3, failureOf });
    expect(explored).toEqual({ states: 10, transitions: 12, depth: 3, cutOff: 4 });
  });

  it('explores a state again that it reaches by a shorter way', async () => {
    // A detour of two steps leads to the state that a short cut leads to.
    const edges: Record<string, readonly string[]> = { s: ['x', 't'], x: ['t'], t: ['u'], u: ['v'] };
    const start = ways('s', (state) => {
      if (state === 'v') throw new Error('reached');
      return edges[state] ?? [];
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
