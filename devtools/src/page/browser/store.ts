import { verdicts } from './shared/verdict.js';
import type { Summary } from './types.js';

/** `seq` counts up. `text` is what a search looks at, made when first needed. */
export interface Entry {
  readonly seq: number;
  summary: Summary;
  text?: string | undefined;
}

// Untrusted names are keys of Maps only, where `__proto__` is an ordinary key.
function count(tally: Map<string, number>, keys: Iterable<string>, by: 1 | -1): void {
  for (const key of new Set(keys)) {
    const total = (tally.get(key) ?? 0) + by;
    if (total > 0) tally.set(key, total);
    else tally.delete(key);
  }
}

/** The deliveries of the page in the order of arrival, with counts. At most `limit`. */
export function createStore() {
  let entries: Entry[] = [];
  const byId = new Map<string, Entry>();
  const verdictTally = new Map<string, number>(verdicts.map((verdict) => [verdict, 0]));
  const kindTally = new Map<string, number>();
  const contractTally = new Map<string, number>();
  const targetTally = new Map<string, number>();
  let nextSeq = 0;
  let limit = 10_000;

  function tally({ verdict, kinds, contracts, label, target }: Summary, by: 1 | -1): void {
    count(verdictTally, [verdict], by);
    count(kindTally, kinds, by);
    count(contractTally, contracts, by);
    count(targetTally, [label ?? target], by);
  }

  /** Adds and changes deliveries, and drops the oldest beyond the limit. Returns those that are new. */
  function apply(summaries: readonly Summary[]): Entry[] {
    const added: Entry[] = [];
    for (const summary of summaries) {
      const known = byId.get(summary.id);
      if (known) {
        tally(known.summary, -1);
        known.summary = summary;
        known.text = undefined;
      } else {
        const entry = { seq: nextSeq++, summary };
        entries.push(entry);
        byId.set(summary.id, entry);
        added.push(entry);
      }
      tally(summary, 1);
    }
    for (const { summary } of entries.splice(0, Math.max(0, entries.length - limit))) {
      byId.delete(summary.id);
      tally(summary, -1);
    }
    return added;
  }

  return {
    apply,
    /** Replaces all deliveries; known ones keep their entries. */
    replace(summaries: readonly Summary[]): void {
      const ids = new Set(summaries.map(({ id }) => id));
      for (const { summary } of entries) {
        if (ids.has(summary.id)) continue;
        byId.delete(summary.id);
        tally(summary, -1);
      }
      entries = entries.filter(({ summary }) => ids.has(summary.id));
      apply(summaries);
    },
    clear(): void {
      entries = [];
      byId.clear();
      for (const each of [verdictTally, kindTally, contractTally, targetTally]) each.clear();
    },
    all: (): readonly Entry[] => entries,
    get: (id: string) => byId.get(id),
    /** The number that the next new entry gets. */
    nextSeq: () => nextSeq,
    setLimit(most: number) {
      limit = most;
    },
    verdictTally,
    kindTally,
    contractTally,
    targetTally,
  };
}

export type Store = ReturnType<typeof createStore>;
