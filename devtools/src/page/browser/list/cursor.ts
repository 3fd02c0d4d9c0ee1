import { batch, effect, type Signal, signal } from '@preact/signals';
import type { Entry, Store } from '../store.js';
import type { Line, View } from '../view.js';

/** How a delivery was opened: by a key, which also focuses it, by a move from a neighbour, or otherwise. */
export type How = 'key' | 'pointer' | 'move';

/** The reader's place in the list. While they read, new deliveries wait. */
export interface Cursor {
  /** Id of the open delivery. */
  readonly openId: Signal<string | undefined>;
  /** The row that keys act on. */
  readonly cursor: Signal<Entry | undefined>;
  /** Ids of the deliveries that are selected, to send or export several. */
  readonly picked: Signal<ReadonlySet<string>>;
  /** Whether new deliveries wait until the list is resumed. */
  readonly paused: Signal<boolean>;
  /** Whether the list is scrolled away from the newest. */
  readonly scrolled: Signal<boolean>;
  /** Whether the pointer moves over the list. */
  readonly hovered: Signal<boolean>;
  /** Counts up when the list is to go to its top. */
  readonly tops: Signal<number>;
  /** Whether new deliveries wait, and nothing may move. */
  isHeld(): boolean;
  /** Moves the cursor to a row, and opens it if a delivery is open. */
  moveTo(index: number): void;
  /** Moves to the previous (−1, newer) or next (+1, older) row. */
  step(by: 1 | -1): void;
  /** The row beside the open delivery. */
  beside(by: 1 | -1): Line | undefined;
  /** Shows the rows of a fold, or folds them. */
  toggle(line: Line): void;
  /** Selects the deliveries of a row, or of the rows up to another one, or ends that. */
  pick(line: Line, from?: Entry): void;
  /** Shows the deliveries that waited. The list stays on hold if it is. */
  showWaiting(): void;
  /** Shows the newest deliveries and continues with new ones. */
  toTop(): void;
  /** The delivery was closed: new ones are shown again. */
  leave(): void;
}

export interface CursorOptions {
  readonly store: Store;
  readonly view: View;
  readonly changed: () => void;
  readonly open: (id: string, how: How) => void;
}

export function createCursor({ store, view, changed, open }: CursorOptions): Cursor {
  const openId = signal<string>();
  const cursor = signal<Entry>();
  const picked = signal<ReadonlySet<string>>(new Set());
  const [paused, scrolled, hovered, moving] = [signal(false), signal(false), signal(false), signal(false)];
  const tops = signal(0);

  const isHeld = () =>
    openId.value !== undefined ||
    moving.value ||
    picked.value.size > 0 ||
    paused.value ||
    scrolled.value ||
    hovered.value;

  effect(() => {
    if (isHeld()) view.hold();
    else view.release();
    changed();
  });

  function showWaiting(): void {
    view.release();
    if (isHeld()) view.hold();
    changed();
  }

  function beside(by: 1 | -1): Line | undefined {
    const current = (openId.value !== undefined && store.get(openId.value)) || cursor.value;
    const index = current ? view.indexOf(current) : -1;
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
    moveTo: (index) => moveToLine(view.at(Math.max(0, Math.min(view.length() - 1, index)))),
    step: (by) => moveToLine(beside(by)),
    beside,
    toggle(line) {
      cursor.value = line.entry;
      view.toggle(line);
      changed();
    },
    pick(line, from) {
      const ids = new Set(picked.value);
      const [a, b] = [view.indexOf(line.entry), from ? view.indexOf(from) : -1];
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
    toTop() {
      batch(() => {
        if (openId.value === undefined) cursor.value = undefined;
        picked.value = new Set();
        for (const each of [paused, scrolled, hovered, moving]) each.value = false;
        tops.value++;
      });
      showWaiting();
    },
    leave() {
      moving.value = false;
      hovered.value = false;
    },
  };
}
