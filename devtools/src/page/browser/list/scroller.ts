import { signal } from '@preact/signals';

/** Heights of a row of one line, and of two where the list is narrow (list.css). */
const [LINE, TWO_LINES] = [36, 54];
const NARROW = 760;
/** Extra rows above and below the visible ones. */
const EXTRA = 6;

/** The scrolling element, which contains only the visible rows. */
export function createScroller() {
  const moved = signal(0);
  let list: HTMLElement | undefined;
  let canvas: HTMLElement | undefined;

  let height = LINE;
  let total = 0;

  const scrollTop = () => list?.scrollTop ?? 0;
  const inSight = () => list?.clientHeight ?? 0;
  const scrolled = () => {
    moved.value++;
  };

  function setTotal(next: number): void {
    total = next;
    if (canvas) canvas.style.height = `${total * height}px`;
  }

  /** The row on top stays there when the height of rows changes. */
  function resized(): void {
    const next = (list?.clientWidth ?? 0) < NARROW ? TWO_LINES : LINE;
    if (list && next !== height) {
      const top = list.scrollTop / height;
      height = next;
      setTotal(total);
      list.scrollTop = top * height;
    }
    scrolled();
  }

  return {
    /** Counts up when other rows may be visible. */
    moved,
    /** The range of rows to render; the end is excluded. */
    range(count: number): readonly [first: number, end: number] {
      const first = Math.floor(scrollTop() / height) - EXTRA;
      const end = Math.ceil((scrollTop() + inSight()) / height) + EXTRA;
      return [Math.max(0, first), Math.min(count, end)];
    },
    firstInSight: () => Math.ceil(scrollTop() / height),
    rowsInSight: () => Math.max(1, Math.floor(inSight() / height)),
    rowHeight: () => height,
    /** Makes room for all rows. */
    setTotal,
    reveal(index: number): void {
      if (!list || index < 0) return;
      const top = index * height;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + height > list.scrollTop + inSight()) list.scrollTop = top + height - inSight();
    },
    /** The list was scrolled. */
    scrolled,
    /** Follows the size of the elements. Returns a function that stops it. */
    attach(newList: HTMLElement, newCanvas: HTMLElement): () => void {
      list = newList;
      canvas = newCanvas;
      const observer = new ResizeObserver(resized);
      observer.observe(newList);
      return () => observer.disconnect();
    },
  };
}

export type Scroller = ReturnType<typeof createScroller>;
