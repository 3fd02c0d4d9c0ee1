import type { Session } from '../session.js';
import type { Entry } from '../store.js';

/** How long the list holds after the pointer moved over it, in ms. */
const RESTS_MS = 1500;

/** Pointer handlers of the list: a click opens a row, a move keeps rows in place. */
export function createPointer({ view, hovered, open, cursor }: Session) {
  let pressed: Entry | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function entryOf({ target }: Event): Entry | undefined {
    const row = target instanceof Element ? target.closest<HTMLElement>('.canvas > .row') : null;
    return row ? view.bySeq(Number(row.dataset.seq)) : undefined;
  }

  function leave(): void {
    clearTimeout(timer);
    hovered.value = false;
  }

  return {
    // Opens the row that was pressed, even if rows move before the button is released.
    onPointerDown(event: PointerEvent) {
      pressed = entryOf(event);
    },
    onClick(event: MouseEvent) {
      const entry = pressed ?? entryOf(event);
      pressed = undefined;
      if (!entry || getSelection()?.type === 'Range') return;
      cursor.value = entry;
      open(entry.summary.id);
    },
    onPointerMove({ pointerType }: PointerEvent) {
      if (pointerType !== 'mouse') return;
      hovered.value = true;
      clearTimeout(timer);
      timer = setTimeout(leave, RESTS_MS);
    },
    onPointerLeave: leave,
  };
}
