import { computed, signal } from '@preact/signals';
import { verdicts } from './shared/verdict.js';
import type { Summary, Verdict } from './types.js';

/** A delivery of the list. `seq` counts up in the order of arrival. */
export interface Entry {
  readonly seq: number;
  summary: Summary;
}

/** Counts by verdict, and the values to filter by. */
function facetsOf(entries: readonly Entry[]) {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  const [kinds, contracts, targets] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { summary } of entries) {
    counts[summary.verdict]++;
    for (const kind of summary.kinds) kinds.add(kind);
    for (const contract of summary.contracts) contracts.add(contract);
    targets.add(summary.label ?? summary.target);
  }
  return { counts, kinds, contracts, targets };
}

/** The deliveries of the page in the order of arrival. At most `limit`. */
export function createStore() {
  const byId = new Map<string, Entry>();
  const entries = signal<readonly Entry[]>([]);
  const facets = computed(() => facetsOf(entries.value));
  let nextSeq = 0;
  let limit = 10_000;

  /** Adds and changes deliveries, and drops the oldest beyond the limit. Returns the number of new ones. */
  function apply(summaries: readonly Summary[]): number {
    const before = nextSeq;
    for (const summary of summaries) {
      const known = byId.get(summary.id);
      if (known) known.summary = summary;
      else byId.set(summary.id, { seq: nextSeq++, summary });
    }
    const all = [...byId.values()];
    for (const { summary } of all.splice(0, Math.max(0, all.length - limit))) byId.delete(summary.id);
    entries.value = all;
    return nextSeq - before;
  }

  return {
    apply,
    /** Replaces all deliveries; known ones keep their entries. */
    replace(summaries: readonly Summary[]): void {
      const ids = new Set(summaries.map(({ id }) => id));
      for (const id of byId.keys()) if (!ids.has(id)) byId.delete(id);
      apply(summaries);
    },
    all: () => entries.value,
    facets: () => facets.value,
    /** The delivery with an id, if there is one. */
    get: (id: string | undefined) => (id !== undefined && entries.value.length > 0 ? byId.get(id) : undefined),
    /** The number that the next new entry gets. */
    nextSeq: () => nextSeq,
    setLimit(most: number) {
      limit = most;
    },
  };
}

export type Store = ReturnType<typeof createStore>;
