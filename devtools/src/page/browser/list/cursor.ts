import { batch, computed, effect, signal } from '@preact/signals';
import type { Entry, Store } from '../store.js';
import type { Line, View } from '../view.js';

/** How a delivery was opened: by a key, which also focuses it, by a move from a neighbour, or otherwise. */
export type How = 'key' | 'pointer' | 'move';

interface CursorOptions {
  readonly store: Store;
  readonly view: View;
  readonly open: (id: string, how: How) => void;
}

/** The reader's place in the list. While they read, new deliveries wait. */
export function createCursor({ store, view, open }: CursorOptions) {
  /** Id of the open delivery. */
  const openId = signal<string>();
  /** The row that keys act on. */
  const cursor = signal<Entry>();
  /** Ids of the deliveries that are selected, to send or export several. */
  const picked = signal<ReadonlySet<string>>(new Set());
  // Why the list is on hold: it was paused, is scrolled, under the pointer, or keys move in it.
  const [paused, scrolled, hovered, moving] = [signal(false), signal(false), signal(false), signal(false)];
  /** Counts up when the list is to go to its top. */
  const tops = signal(0);

  /** Whether new deliveries wait, and nothing may move. */
  const isHeld = computed(() => {
    const reasons = [moving, paused, scrolled, hovered].map(({ value }) => value);
    return openId.value !== undefined || picked.value.size > 0 || reasons.includes(true);
  });
  effect(() => view.catchUp(isHeld.value));

  /** Shows the waiting deliveries. Does not end a hold. */
  const showWaiting = () => view.catchUp(isHeld.value);

  /** The row before (−1, newer) or after (+1, older) the open delivery or the cursor. */
  function beside(by: 1 | -1): Line | undefined {
    const index = view.indexOf(store.get(openId.value) ?? cursor.value);
    return index < 0 ? view.at(0) : view.at(index + by);
  }

  function moveToLine(line: Line | undefined): void {
    if (!line) return;
    moving.value = true;
    cursor.value = line.entry;
    if (openId.value !== undefined) open(line.entry.summary.id, 'move');
  }

  return {
    openId,
    cursor,
    picked,
    paused,
    scrolled,
    hovered,
    tops,
    isHeld,
    /** Moves the cursor to a row, and opens it if a delivery is open. */
    moveTo: (index: number) => moveToLine(view.at(Math.max(0, Math.min(view.length() - 1, index)))),
    step: (by: 1 | -1) => moveToLine(beside(by)),
    beside,
    /** Shows the rows of a fold, or folds them. */
    toggle(line: Line): void {
      cursor.value = line.entry;
      view.toggle(line);
    },
    /** Selects the deliveries of a row, or of the rows up to another one, or ends that. */
    pick(line: Line, from?: Entry): void {
      const ids = new Set(picked.value);
      const [a, b] = [view.indexOf(line.entry), view.indexOf(from)];
      const range =
        b < 0 ? [line] : Array.from({ length: Math.abs(a - b) + 1 }, (_, at) => view.at(Math.min(a, b) + at));
      const isOff = b < 0 && ids.has(line.entry.summary.id);
      for (const { summary } of range.flatMap((each) => each?.entries ?? [])) {
        if (isOff) ids.delete(summary.id);
        else ids.add(summary.id);
      }
      batch(() => {
        cursor.value = line.entry;
        picked.value = ids;
      });
    },
    showWaiting,
    /** Shows the newest deliveries and continues with new ones. */
    toTop(): void {
      batch(() => {
        if (openId.value === undefined) cursor.value = undefined;
        picked.value = new Set();
        for (const each of [paused, scrolled, hovered, moving]) each.value = false;
        tops.value++;
      });
      showWaiting();
    },
    /** The delivery was closed: new ones are shown again. */
    leave(): void {
      moving.value = false;
      hovered.value = false;
    },
  };
}
