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
}

/** A failing schedule of a world. */
export interface FoundIn extends Found {
  readonly world: string;
}

/** Seeds in one request: enough that asking costs nothing, and few enough that a failure stops the search soon. */
const MOST_AT_ONCE = 250;

/** Plays seeds of worlds on all threads, until one fails. `found` is the failing schedule with the least seed. */
export async function search(threads: Threads, options: SearchOptions) {
  const { subject } = options;
  const parts = partsOf(options, threads.count);
  const found: FoundIn[] = [];
  let [played, steps] = [0, 0];

  async function work(): Promise<void> {
    for (let part = parts.next(); !part.done && found.length === 0; part = parts.next()) {
      const { world, first, count } = part.value;
      try {
        const answer = await threads.ask({ kind: 'seeds', world, subject, first, count });
        played += answer.played;
        steps += answer.steps;
        if (answer.found) found.push({ ...answer.found, world });
      } catch (error) {
        if (!(error instanceof StuckError)) throw error;
        found.push({ ...stuck(error), world });
      }
    }
  }

  await Promise.all(Array.from({ length: threads.count }, work));
  // Threads that were at work found more. Parts begin in order, so the least seed is the one that any search finds.
  const [least] = found.sort((a, b) => a.seed - b.seed);
  return { played, steps, found: least };
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
