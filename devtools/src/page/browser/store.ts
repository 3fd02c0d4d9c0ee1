import { verdicts } from './shared/verdict.js';
import type { Summary } from './types.js';

/** `seq` counts up. `text` is what a search looks at, made when first needed. */
export interface Entry {
  readonly seq: number;
  summary: Summary;
  text?: string | undefined;
}

/** `dropped` of the oldest are gone. */
export interface Change {
  readonly added: readonly Entry[];
  readonly changed: readonly Entry[];
  readonly dropped: number;
}

// Untrusted names are keys of Maps only, where `__proto__` is an ordinary key.
function count(tally: Map<string, number>, keys: Iterable<string>, by: 1 | -1): void {
  for (const key of new Set(keys)) {
    const total = (tally.get(key) ?? 0) + by;
    if (total > 0) tally.set(key, total);
    else tally.delete(key);
  }
}

/** The deliveries of the page, oldest first, with counts by verdict, kind and contract. At most `limit`. */
export function createStore() {
  let entries: Entry[] = [];
  const byId = new Map<string, Entry>();
  const verdictTally = new Map<string, number>(verdicts.map((verdict) => [verdict, 0]));
  const kindTally = new Map<string, number>();
  const contractTally = new Map<string, number>();
  let nextSeq = 0;
  let limit = 10_000;

  function tally(summary: Summary, by: 1 | -1): void {
    count(verdictTally, [summary.verdict], by);
    count(kindTally, summary.kinds, by);
    count(contractTally, summary.contracts, by);
  }

  function apply(summaries: readonly Summary[]): Change {
    const added = new Set<Entry>();
    const changed = new Set<Entry>();
    for (const summary of summaries) {
      const known = byId.get(summary.id);
      if (known) {
        tally(known.summary, -1);
        known.summary = summary;
        known.text = undefined;
        if (!added.has(known)) changed.add(known);
      } else {
        const entry = { seq: nextSeq++, summary };
        entries.push(entry);
        byId.set(summary.id, entry);
        added.add(entry);
      }
      tally(summary, 1);
    }
    const dropped = entries.splice(0, Math.max(0, entries.length - limit));
    for (const entry of dropped) {
      byId.delete(entry.summary.id);
      tally(entry.summary, -1);
      added.delete(entry);
      changed.delete(entry);
    }
    return { added: [...added], changed: [...changed], dropped: dropped.length };
  }

  /** Replaces all deliveries; known ones keep their entries. */
  function replace(summaries: readonly Summary[]): Change {
    const ids = new Set(summaries.map(({ id }) => id));
    for (const { summary } of entries) {
      if (ids.has(summary.id)) continue;
      byId.delete(summary.id);
      tally(summary, -1);
    }
    entries = entries.filter(({ summary }) => ids.has(summary.id));
    return apply(summaries);
  }

  function clear(): void {
    entries = [];
    byId.clear();
    for (const each of [verdictTally, kindTally, contractTally]) each.clear();
  }

  return {
    apply,
    replace,
    clear,
    all: (): readonly Entry[] => entries,
    get: (id: string) => byId.get(id),
    setLimit(most: number) {
      limit = most;
    },
    verdictTally,
    kindTally,
    contractTally,
  };
}

export type Store = ReturnType<typeof createStore>;
