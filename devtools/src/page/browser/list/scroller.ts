import { type Signal, signal } from '@preact/signals';

/** Heights of a row: of one line, and of two where the list is narrow. */
const [ROW, TALL_ROW] = [32, 54];
/** Below this width a row has two lines (list.css). */
const NARROW = 700;
/** Extra rows above and below the visible ones. */
const EXTRA = 6;

/** The scrolling element, which contains only the visible rows. All rows have the same height. */
export interface Scroller {
  /** Counts up when other rows may be visible. */
  readonly moved: Signal<number>;
  readonly narrow: Signal<boolean>;
  rowHeight(): number;
  /** The range of rows to render; the end is excluded. */
  range(total: number): readonly [first: number, end: number];
  firstInSight(): number;
  rowsInSight(): number;
  /** Makes room for all rows. */
  setTotal(total: number): void;
  reveal(index: number): void;
  /** The list was scrolled. */
  scrolled(): void;
  /** Follows the size of the elements. Returns a function that stops it. */
  attach(list: HTMLElement, canvas: HTMLElement): () => void;
}

/** @param anchor index of the row that keeps its place when the height of rows changes; −1 for the first visible one */
export function createScroller(anchor: () => number): Scroller {
  const moved = signal(0);
  const narrow = signal(false);
  let list: HTMLElement | undefined;
  let canvas: HTMLElement | undefined;
  let total = 0;

  const rowHeight = () => (narrow.value ? TALL_ROW : ROW);
  const scrollTop = () => list?.scrollTop ?? 0;
  const head = () => canvas?.offsetTop ?? 0;
  const inSight = () => Math.max(1, (list?.clientHeight ?? 0) - head());

  function setTotal(next: number): void {
    total = next;
    if (canvas) canvas.style.height = `${total * rowHeight()}px`;
  }

  /** Whether a row is at least partly visible. */
  const isInSight = (index: number) =>
    (index + 1) * rowHeight() > scrollTop() && index * rowHeight() < scrollTop() + inSight();

  /** Changes the height of rows. The row at the anchor keeps its place on the screen. */
  function setNarrow(next: boolean): void {
    const wanted = anchor();
    const index = wanted >= 0 && isInSight(wanted) ? wanted : Math.floor(scrollTop() / rowHeight());
    const y = head() + index * rowHeight() - scrollTop();
    narrow.value = next;
    list?.classList.toggle('narrow', next);
    setTotal(total);
    const top = head() + index * rowHeight() - y;
    // The first rows cannot keep their place exactly in both heights: the top remains the top.
    if (list) list.scrollTop = !next && top < ROW ? 0 : top;
  }

  return {
    moved,
    narrow,
    rowHeight,
    range(count) {
      const first = Math.floor(scrollTop() / rowHeight()) - EXTRA;
      const end = Math.ceil((scrollTop() + inSight()) / rowHeight()) + EXTRA;
      return [Math.max(0, first), Math.min(count, end)];
    },
    firstInSight: () => Math.ceil(scrollTop() / rowHeight()),
    rowsInSight: () => Math.max(1, Math.floor(inSight() / rowHeight())),
    setTotal,
    reveal(index) {
      if (!list || index < 0) return;
      const top = index * rowHeight();
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + rowHeight() > list.scrollTop + inSight()) list.scrollTop = top + rowHeight() - inSight();
    },
    scrolled() {
      moved.value++;
    },
    attach(newList, newCanvas) {
      list = newList;
      canvas = newCanvas;
      const observer = new ResizeObserver(() => {
        const isNarrow = newList.clientWidth < NARROW;
        if (isNarrow !== narrow.value) setNarrow(isNarrow);
        moved.value++;
      });
      observer.observe(newList);
      return () => observer.disconnect();
    },
  };
}
