import type { Session } from '../session.js';
import type { Line } from '../view.js';

/** How long the list holds after the pointer moved over it, in ms. */
const RESTS_MS = 1500;

/** Pointer handlers of the list: a click opens a row, folds, or selects; a move keeps rows in place. */
export function createPointer(session: Session) {
  const { view, hovered, open, cursor, toggle, pick } = session;
  let pressed: Line | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function lineAt({ target }: Event): Line | undefined {
    const row = (target as Element).closest<HTMLElement>('.canvas > .row');
    return row ? view.lineOf(Number(row.dataset.seq)) : undefined;
  }

  function leave(): void {
    clearTimeout(timer);
    hovered.value = false;
  }

  return {
    // Acts on the row that was pressed, even if rows move before the button is released.
    onPointerDown(event: PointerEvent) {
      pressed = lineAt(event);
      // A range of rows, not of text.
      if (event.shiftKey) event.preventDefault();
    },
    onClick(event: MouseEvent) {
      const line = pressed ?? lineAt(event);
      const on = event.target as Element;
      pressed = undefined;
      if (!line) return;
      if (on.closest('.fold')) return toggle(line);
      if (event.shiftKey) return pick(line, cursor.value);
      if (event.ctrlKey || event.metaKey || on.closest('.pick')) return pick(line);
      if (getSelection()?.type === 'Range') return;
      open(line.entry.summary.id);
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
