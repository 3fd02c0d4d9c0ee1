import { computed, signal } from '@preact/signals';
import { causeOf } from './list/sentence.js';
import type { Entry, Store } from './store.js';

/** A row of the list: a delivery, or consecutive ones with the same cause, which are folded into one row. */
export interface Line {
  /** The delivery that the row shows: the newest. */
  readonly entry: Entry;
  /** Its deliveries, the newest first. */
  readonly entries: readonly Entry[];
  /** Whether it is the first row of a fold whose deliveries are shown. */
  readonly isOpened: boolean;
}

/** Rows of deliveries. A fold is identified by its oldest delivery, so that it stays open when new ones join it. */
function linesOf(entries: readonly Entry[], opened: ReadonlySet<number>): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at] as Entry;
    const key = causeOf(entry.summary)?.key;
    let end = at + 1;
    while (key !== undefined && end < entries.length && causeOf((entries[end] as Entry).summary)?.key === key) end++;
    const all = entries.slice(at, end);
    const isOpened = all.length > 1 && opened.has((all.at(-1) as Entry).seq);
    lines.push({ entry, entries: all, isOpened });
    if (isOpened) for (const each of all.slice(1)) lines.push({ entry: each, entries: [each], isOpened: false });
    at = end;
  }
  return lines;
}

/**
 * The rows of the deliveries that match the filters, the newest first by the time at which they were first sent. While
 * the view is on hold, new deliveries wait, so that the rows do not move.
 *
 * @param passes whether a delivery matches
 */
export function createView(store: Store, passes: () => (entry: Entry) => boolean) {
  /** Deliveries from this number on wait. */
  const heldAt = signal(Number.POSITIVE_INFINITY);
  const opened = signal<ReadonlySet<number>>(new Set());
  const made = computed(() => {
    const all = store.all().filter(passes());
    const end = heldAt.value;
    const shown = all.filter(({ seq }) => seq < end);
    shown.sort((a, b) => b.summary.at - a.summary.at || b.seq - a.seq);
    const lines = linesOf(shown, opened.value);
    const places = new Map<number, number>();
    for (const [index, { entry, entries, isOpened }] of lines.entries())
      for (const { seq } of isOpened ? [entry] : entries) places.set(seq, index);
    return { lines, places, total: all.length, waiting: all.length - shown.length };
  });
  const indexOf = (seq: number | undefined) => (seq === undefined ? undefined : made.value.places.get(seq)) ?? -1;

  return {
    /** Shows all deliveries. From now on, new ones wait if the view is held. */
    catchUp(isHeld: boolean) {
      heldAt.value = isHeld ? store.nextSeq() : Number.POSITIVE_INFINITY;
    },
    /** Opens a fold, or folds its rows again. */
    toggle(line: Line) {
      const { seq } = line.entries.at(-1) as Entry;
      const next = new Set(opened.value);
      if (!next.delete(seq)) next.add(seq);
      opened.value = next;
    },
    /** The number of rows. */
    length: () => made.value.lines.length,
    /** The number of deliveries that match, with those that wait. */
    total: () => made.value.total,
    waiting: () => made.value.waiting,
    at: (index: number): Line | undefined => made.value.lines[index],
    /** The row of an entry; −1 if it has none. */
    indexOf: (entry: Entry | undefined) => indexOf(entry?.seq),
    lineOf: (seq: number): Line | undefined => made.value.lines[indexOf(seq)],
  };
}

export type View = ReturnType<typeof createView>;
