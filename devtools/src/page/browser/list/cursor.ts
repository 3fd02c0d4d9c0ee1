import { batch, effect, type Signal, signal } from '@preact/signals';
import type { Entry, Store } from '../store.js';
import type { View } from '../view.js';

/** How a delivery was opened: by a key, which also focuses it, by a move from a neighbour, or otherwise. */
export type How = 'key' | 'pointer' | 'move';

/** The reader's place in the list. While they read, new deliveries wait. */
export interface Cursor {
  /** Id of the open delivery. */
  readonly openId: Signal<string | undefined>;
  /** The row that keys act on. */
  readonly cursor: Signal<Entry | undefined>;
  /** Whether new deliveries wait until the list is resumed. */
  readonly paused: Signal<boolean>;
  /** Whether the list is scrolled away from the newest. */
  readonly scrolled: Signal<boolean>;
  /** Whether the pointer moves over the list. */
  readonly hovered: Signal<boolean>;
  /** Counts up when the list is to go to its top. */
  readonly tops: Signal<number>;
  /** Moves the cursor to a row, and opens it if a delivery is open. */
  moveTo(index: number): void;
  /** The previous (−1, newer) or next (+1, older) delivery, if there is one. */
  beside(by: 1 | -1): Entry | undefined;
  /** Moves to the previous or next delivery. */
  step(by: 1 | -1): void;
  /** Shows the deliveries that waited. The list stays on hold. */
  showWaiting(): void;
  /** Shows the newest deliveries and continues with new ones. */
  toTop(): void;
  /** The delivery was closed. */
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
  const [paused, scrolled, hovered] = [signal(false), signal(false), signal(false)];
  const tops = signal(0);
  let byKeyboard = false;

  const isHeld = () =>
    openId.value !== undefined || cursor.value !== undefined || paused.value || scrolled.value || hovered.value;

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

  const current = () => (openId.value === undefined ? cursor.value : (store.get(openId.value) ?? cursor.value));
  const indexOf = (entry: Entry | undefined) => (entry ? view.indexOf(entry) : -1);

  function beside(by: 1 | -1): Entry | undefined {
    const index = indexOf(current());
    return index < 0 ? view.at(0) : view.at(index + by);
  }

  function moveToEntry(entry: Entry | undefined): void {
    if (!entry) return;
    byKeyboard = true;
    cursor.value = entry;
    if (openId.value !== undefined) open(entry.summary.id, 'move');
  }

  return {
    openId,
    cursor,
    paused,
    scrolled,
    hovered,
    tops,
    moveTo: (index) => moveToEntry(view.at(Math.max(0, Math.min(view.length() - 1, index)))),
    beside,
    step: (by) => moveToEntry(beside(by)),
    showWaiting,
    toTop() {
      batch(() => {
        cursor.value = openId.value === undefined ? undefined : cursor.value;
        paused.value = false;
        scrolled.value = false;
        hovered.value = false;
        tops.value++;
      });
      showWaiting();
    },
    leave() {
      // Unless the keyboard is in the list.
      if (!scrolled.value && !byKeyboard) cursor.value = undefined;
      byKeyboard = false;
    },
  };
}
