import type { Found } from './messages.js';
import { StuckError, type Threads } from './threads.js';

/** What to search. */
export interface SearchOptions {
  readonly worlds: readonly string[];
  /** Text of the bundle. */
  readonly subject: string;
  /** The first seed, and how many schedules of each world. */
  readonly first: number;
  readonly seeds: number;
  /** Ends after this many failures. (Default: 1.) */
  readonly mostFailures?: number | undefined;
}

/** A failing schedule of a world. */
export interface FoundIn extends Found {
  readonly world: string;
}

export interface Searched {
  readonly played: number;
  readonly steps: number;
  readonly failures: number;
  readonly found: readonly FoundIn[];
  /** Schedules and steps of each world, and the time that its threads took. */
  readonly worlds: ReadonlyMap<string, WorldTotals>;
}

export interface WorldTotals {
  played: number;
  steps: number;
  ms: number;
}

/** Seeds in one request: enough that asking costs nothing, and few enough that failures stop the search soon. */
const MOST_AT_ONCE = 250;

/** Plays seeds of worlds on all threads, until there are as many failures as asked for. Failures are sorted by their seeds. */
export async function search(threads: Threads, options: SearchOptions): Promise<Searched> {
  const { subject, mostFailures = 1 } = options;
  const parts = partsOf(options, threads.count);
  const found: FoundIn[] = [];
  const worlds = new Map(options.worlds.map((name): [string, WorldTotals] => [name, { played: 0, steps: 0, ms: 0 }]));
  let [played, steps] = [0, 0];

  async function work(): Promise<void> {
    for (let part = parts.next(); !part.done && found.length < mostFailures; part = parts.next()) {
      const { world, first, count } = part.value;
      const before = performance.now();
      try {
        const answer = await threads.ask({ kind: 'seeds', world, subject, first, count, mostFailures });
        const totals = worlds.get(world) as WorldTotals;
        totals.played += answer.played;
        totals.steps += answer.steps;
        totals.ms += performance.now() - before;
        played += answer.played;
        steps += answer.steps;
        for (const each of answer.found) found.push({ ...each, world });
      } catch (error) {
        if (!(error instanceof StuckError)) throw error;
        found.push({ ...stuck(error), world });
      }
    }
  }

  await Promise.all(Array.from({ length: threads.count }, work));
  // Threads that were at work found more. Parts begin in order, so the least seeds are those that any search finds.
  found.sort((a, b) => a.seed - b.seed);
  found.splice(mostFailures);
  return { played, steps, failures: found.length, found, worlds };
}

/** A search ends a thread that hangs in one schedule. Nobody knows its tape. */
function stuck({ seed, message }: StuckError): Found {
  return { seed, tape: [], failure: { invariant: 'a step does not end', what: message, history: [] } };
}

interface Part {
  readonly world: string;
  readonly first: number;
  readonly count: number;
}

/** The worlds in turns, so that a search that ends early has seen all of them. */
function* partsOf({ worlds, first, seeds }: SearchOptions, threads: number): Generator<Part> {
  const size = Math.max(1, Math.min(MOST_AT_ONCE, Math.ceil(seeds / threads)));
  for (let start = 0; start < seeds; start += size) {
    for (const world of worlds) yield { world, first: first + start, count: Math.min(size, seeds - start) };
  }
}
