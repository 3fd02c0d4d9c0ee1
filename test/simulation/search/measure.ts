import { bundleWith, type Defect } from '../defects/defect.js';
import { search } from './search.js';
import type { Threads } from './threads.js';

/** How many schedules it takes to find a defect, from several seeds on. */
export interface Measured {
  readonly name: string;
  /** Sorted; undefined where it was not found. */
  readonly seeds: readonly (number | undefined)[];
  readonly median: number | undefined;
  /** The invariants that broke. */
  readonly invariants: readonly string[];
}

const RANGES = 5;
/** Far more than a search takes, so that ranges are disjoint. */
const RANGE_SIZE = 1_000_000;

/** Searches for a defect, in its first world, from seeds that are far apart. */
export async function measure(threads: Threads, defect: Defect, most: number, ranges = RANGES): Promise<Measured> {
  const subject = await bundleWith(defect);
  const counts: number[] = [];
  const invariants = new Set<string>();
  for (let range = 0; range < ranges; range++) {
    const first = 1 + range * RANGE_SIZE;
    const { found } = await search(threads, { worlds: defect.worlds.slice(0, 1), subject, first, seeds: most });
    const [least] = found;
    counts.push(least ? least.seed - first + 1 : Number.POSITIVE_INFINITY);
    if (least) invariants.add(least.failure.invariant);
  }
  counts.sort((one, other) => one - other);
  const seeds = counts.map((count) => (Number.isFinite(count) ? count : undefined));
  return { name: defect.name, seeds, median: seeds[Math.floor(ranges / 2)], invariants: [...invariants] };
}

/** One line for the table of the README. */
export function measuredText({ name, seeds, median, invariants }: Measured): string {
  const all = seeds.map((count) => count ?? 'not found').join(', ');
  return `| ${name} | ${invariants.join(', ') || 'none'} | ${median ?? 'not found'} | ${all} |`;
}
