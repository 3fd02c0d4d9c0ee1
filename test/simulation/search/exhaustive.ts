import type { Failure } from './outcome.js';

/** A run of a small world, which goes on one choice at a time. */
export interface SmallRun {
  /** What can happen next, each with a name. None: the run is over. */
  options(): readonly string[];
  /** Lets one of them happen, with all microtasks that follow, and checks the invariants. Rejects with a Violation. */
  take(index: number): Promise<void>;
  /** Equal for runs that cannot be told apart by anything that happens later. */
  fingerprint(): string;
}

/** What an exhaustive search found. */
export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** The longest way to a state. */
  readonly depth: number;
  /** States that were not explored further because they are as deep as allowed. */
  readonly cutOff: number;
  /** Undefined if no invariant breaks. */
  readonly found?: { readonly path: readonly string[]; readonly failure: Failure } | undefined;
}

export interface ExploreOptions {
  readonly mostDepth: number;
  /** Makes a failure of what a run threw. */
  readonly failureOf: (error: unknown) => Failure;
  readonly onProgress?: ((states: number, transitions: number) => void) | undefined;
}

/** A state on the way: its options, and the next one to try. */
interface Level {
  readonly options: readonly string[];
  next: number;
}

/**
 * Explores every order in which things can happen, depth first. Runs cannot be copied, so each way is played from its
 * start; a state that was reached before, by another order, is explored once. One that is reached again by a shorter way
 * is explored again if the search was cut off below it.
 */
export async function explore(start: () => SmallRun, options: ExploreOptions): Promise<Explored> {
  const { mostDepth, failureOf, onProgress } = options;
  /** The least depth at which each state was reached. */
  const seen = new Map<string, number>();
  const cut = new Set<string>();
  let [transitions, depth] = [0, 0];

  /** Whether a state must be explored from here. */
  function isNew(run: SmallRun, at: number): boolean {
    const state = run.fingerprint();
    const before = seen.get(state);
    if (before !== undefined && (before <= at || cut.size === 0)) return false;
    seen.set(state, at);
    depth = Math.max(depth, at);
    if (at < mostDepth || run.options().length === 0) cut.delete(state);
    else cut.add(state);
    return at < mostDepth;
  }

  const path: Level[] = [];
  const named = () => path.map(({ options: names, next }) => names[next - 1] ?? '');
  let run = start();
  if (isNew(run, 0)) path.push({ options: run.options(), next: 0 });
  for (;;) {
    const level = path.at(-1);
    if (level === undefined) break;
    if (level.next >= level.options.length) {
      path.pop();
      continue;
    }
    // Only a run that has just got here is where the level begins.
    if (level.next > 0) run = await replayed(start(), path);
    try {
      await run.take(level.next++);
    } catch (error) {
      return {
        states: seen.size,
        transitions,
        depth,
        cutOff: cut.size,
        found: { path: named(), failure: failureOf(error) },
      };
    }
    transitions++;
    if (isNew(run, path.length)) path.push({ options: run.options(), next: 0 });
    if (transitions % 1000 === 0) onProgress?.(seen.size, transitions);
  }
  return { states: seen.size, transitions, depth, cutOff: cut.size };
}

/** Plays the way to the last level of a path. */
async function replayed(run: SmallRun, path: readonly Level[]): Promise<SmallRun> {
  for (const { next } of path.slice(0, -1)) await run.take(next - 1);
  return run;
}
