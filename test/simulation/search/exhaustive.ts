import type { Failure } from './play.js';

/** Something that can happen next. */
interface Option {
  readonly name: string;
}

/** Chooses what happens next: an option, or undefined to end this way. */
export type Decide = (options: readonly Option[], fingerprint: () => string) => number | undefined;

/** Plays one way from the start, and asks at each step what happens next. Rejects when an invariant breaks. */
export type PlayWay = (decide: Decide) => Promise<void>;

/** What an exhaustive search found. */
export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** The longest way to a state. */
  readonly depth: number;
  /** States that were not explored further, because they are as deep as allowed. */
  readonly cutOff: number;
  /** Undefined if no invariant breaks. */
  readonly found?: { readonly way: readonly string[]; readonly failure: Failure } | undefined;
}

export interface ExploreOptions {
  readonly mostDepth: number;
  /** Makes a failure of what a way was ended by. */
  readonly failureOf: (error: unknown) => Failure;
  readonly onProgress?: ((states: number, transitions: number) => void) | undefined;
}

/** A state on the way: how many options it has, and which of them is being explored. */
interface Level {
  readonly count: number;
  index: number;
}

/**
 * Explores every order in which things can happen, depth first. A state cannot be copied, so each way is played from the
 * start. A state that was reached before, in another order, is explored once; one that is reached again by a shorter way is
 * explored again if the search was cut off.
 */
export async function explore(play: PlayWay, options: ExploreOptions): Promise<Explored> {
  const { mostDepth, failureOf, onProgress } = options;
  /** The least depth at which each state was reached. */
  const seen = new Map<string, number>();
  const cut = new Set<string>();
  const path: Level[] = [];
  let [transitions, depth] = [0, 0];
  let way: string[] = [];

  /** Whether a state, at the end of the path, must be explored from here. */
  function isNew(state: string): boolean {
    const at = path.length;
    const before = seen.get(state);
    if (before !== undefined && (before <= at || cut.size === 0)) return false;
    seen.set(state, at);
    depth = Math.max(depth, at);
    if (at < mostDepth) cut.delete(state);
    else cut.add(state);
    return at < mostDepth;
  }

  function decider(): Decide {
    let at = 0;
    way = [];
    return (choices, fingerprint) => {
      const level = path[at];
      if (level !== undefined && level.count !== choices.length) {
        throw new Error('The same choices led to another state: the world depends on more than the choices.');
      }
      if (level === undefined) {
        transitions += at > 0 ? 1 : 0;
        if (!isNew(fingerprint()) || choices.length === 0) return undefined;
        path.push({ count: choices.length, index: 0 });
      }
      const index = (path[at++] as Level).index;
      way.push(choices[index]?.name ?? '');
      return index;
    };
  }

  const result = () => ({ states: seen.size, transitions, depth, cutOff: cut.size });
  do {
    try {
      await play(decider());
    } catch (error) {
      return { ...result(), found: { way, failure: failureOf(error) } };
    }
    onProgress?.(seen.size, transitions);
  } while (advance(path));
  return result();
}

/** Goes on to the next option of the deepest state that has one. */
function advance(path: Level[]): boolean {
  for (;;) {
    const last = path.at(-1);
    if (last === undefined) return false;
    if (++last.index < last.count) return true;
    path.pop();
  }
}
