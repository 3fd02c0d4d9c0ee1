import type { Change, Entry, Store } from './store.js';

/** The number of entries before a sequence number, by binary search. */
function countBefore(entries: readonly Entry[], seq: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as Entry).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The deliveries that match the filters, newest first. While the view is on hold, new ones wait, so that the rows do not
 * move.
 */
export function createView(store: Store) {
  let passes: (entry: Entry) => boolean = () => true;
  /** Oldest first. */
  let passed: Entry[] = [];
  let heldAt = Number.POSITIVE_INFINITY;

  const length = () => countBefore(passed, heldAt);

  function place(entry: Entry): void {
    const index = countBefore(passed, entry.seq);
    const isIn = passed[index] === entry;
    const belongs = passes(entry);
    if (belongs && !isIn) passed.splice(index, 0, entry);
    else if (!belongs && isIn) passed.splice(index, 1);
  }

  return {
    setFilter(filter: (entry: Entry) => boolean) {
      passes = filter;
      passed = store.all().filter(passes);
    },
    update({ added, changed, dropped }: Change) {
      for (const entry of added) if (passes(entry)) passed.push(entry);
      const oldest = store.all()[0];
      if (dropped > 0) passed.splice(0, oldest ? countBefore(passed, oldest.seq) : passed.length);
      for (const entry of changed) place(entry);
    },
    refresh() {
      passed = store.all().filter(passes);
    },
    hold() {
      const newest = store.all().at(-1);
      if (heldAt === Number.POSITIVE_INFINITY) heldAt = newest ? newest.seq + 1 : 0;
    },
    release() {
      heldAt = Number.POSITIVE_INFINITY;
    },
    length,
    waiting: () => passed.length - length(),
    at: (index: number): Entry | undefined => passed[length() - 1 - index],
    bySeq(seq: number): Entry | undefined {
      const entry = passed[countBefore(passed, seq)];
      return entry?.seq === seq ? entry : undefined;
    },
    indexOf(entry: Entry): number {
      const index = countBefore(passed, entry.seq);
      return passed[index] === entry && index < length() ? length() - 1 - index : -1;
    },
  };
}

export type View = ReturnType<typeof createView>;
