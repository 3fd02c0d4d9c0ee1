import { causeOf } from './list/sentence.js';
import type { Entry, Store } from './store.js';

/** A row of the list: a delivery, or consecutive ones with the same cause, which are folded into one row. */
export interface Line {
  /** The newest. */
  readonly entry: Entry;
  /** The deliveries of the row, the newest first. */
  readonly entries: readonly Entry[];
  /** Whether the row is the first of a fold that was opened. */
  readonly isOpened: boolean;
}

/** Rows of entries in display order. @param opened the oldest entries of the folds that were opened, by number */
function linesOf(entries: readonly Entry[], opened: ReadonlySet<number>): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at] as Entry;
    const key = causeOf(entry.summary)?.key;
    let end = at + 1;
    while (key !== undefined && end < entries.length && causeOf((entries[end] as Entry).summary)?.key === key) end++;
    const fold = entries.slice(at, end);
    if (fold.length > 1 && opened.has((fold.at(-1) as Entry).seq)) {
      lines.push({ entry, entries: fold, isOpened: true });
      for (const each of fold.slice(1)) lines.push({ entry: each, entries: [each], isOpened: false });
    } else lines.push({ entry, entries: fold, isOpened: false });
    at = end;
  }
  return lines;
}

/**
 * The rows of the deliveries that match the filters, the newest first by the time at which they were first sent. While
 * the view is on hold, new deliveries wait, so that the rows do not move.
 */
export function createView(store: Store) {
  let passes: (entry: Entry) => boolean = () => true;
  let heldAt = Number.POSITIVE_INFINITY;
  const opened = new Set<number>();
  let made: { lines: Line[]; places: Map<number, number>; total: number; waiting: number } | undefined;

  function get() {
    if (made) return made;
    const all = store.all().filter(passes);
    const shown = all.filter(({ seq }) => seq < heldAt);
    shown.sort((a, b) => b.summary.at - a.summary.at || b.seq - a.seq);
    const lines = linesOf(shown, opened);
    const places = new Map<number, number>();
    for (const [index, { entry, entries, isOpened }] of lines.entries())
      for (const { seq } of isOpened ? [entry] : entries) places.set(seq, index);
    made = { lines, places, total: all.length, waiting: all.length - shown.length };
    return made;
  }
  const indexOf = ({ seq }: Pick<Entry, 'seq'>) => get().places.get(seq) ?? -1;

  return {
    setFilter(filter: (entry: Entry) => boolean) {
      passes = filter;
      made = undefined;
    },
    /** The store has changed. */
    refresh() {
      made = undefined;
    },
    hold() {
      if (heldAt === Number.POSITIVE_INFINITY) heldAt = store.nextSeq();
      made = undefined;
    },
    release() {
      heldAt = Number.POSITIVE_INFINITY;
      made = undefined;
    },
    /** Opens a fold, or folds its rows again. */
    toggle(line: Line) {
      const { seq } = line.entries.at(-1) as Entry;
      if (!opened.delete(seq)) opened.add(seq);
      made = undefined;
    },
    /** The number of rows. */
    length: () => get().lines.length,
    /** The number of deliveries that match, with those that wait. */
    total: () => get().total,
    waiting: () => get().waiting,
    at: (index: number): Line | undefined => get().lines[index],
    /** The row of an entry; −1 if it has none. */
    indexOf,
    lineOf: (seq: number): Line | undefined => get().lines[indexOf({ seq })],
  };
}

export type View = ReturnType<typeof createView>;
