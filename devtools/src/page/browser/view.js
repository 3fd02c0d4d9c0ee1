/** @typedef {import('./store.js').Entry} Entry */

/**
 * The number of entries before a sequence number, by binary search.
 * @param {readonly Entry[]} entries
 * @param {number} seq
 */
function countBefore(entries, seq) {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (/** @type {Entry} */ (entries[middle]).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The deliveries that match the filters, newest first. While the view is on hold, new ones wait, so that the rows do not
 * move.
 * @param {import('./store.js').Store} store
 */
export function createView(store) {
  /** @type {(entry: Entry) => boolean} */
  let passes = () => true;
  /** Oldest first. @type {Entry[]} */
  let passed = [];
  let heldAt = Number.POSITIVE_INFINITY;

  const length = () => countBefore(passed, heldAt);

  /** @param {Entry} entry */
  function place(entry) {
    const index = countBefore(passed, entry.seq);
    const isIn = passed[index] === entry;
    const belongs = passes(entry);
    if (belongs && !isIn) passed.splice(index, 0, entry);
    else if (!belongs && isIn) passed.splice(index, 1);
  }

  return {
    /** @param {(entry: Entry) => boolean} filter */
    setFilter(filter) {
      passes = filter;
      passed = store.all().filter(passes);
    },
    /** @param {import('./store.js').Change} change */
    update({ added, changed, dropped }) {
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
    /** @param {number} index @returns {Entry | undefined} */
    at: (index) => passed[length() - 1 - index],
    /** @param {Entry} entry */
    indexOf(entry) {
      const index = countBefore(passed, entry.seq);
      return passed[index] === entry && index < length() ? length() - 1 - index : -1;
    },
  };
}

/** @typedef {ReturnType<typeof createView>} View */
