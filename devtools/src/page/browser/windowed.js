/**
 * Shows a list of any length by rendering only the visible rows and a few around them. All rows have the same height. A
 * row keeps its element while it is visible, and with it focus, selection and hover.
 * @template T
 * @param {object} options
 * @param {HTMLElement} options.scroller
 * @param {HTMLElement} options.canvas child of the scroller, as high as all rows together
 * @param {() => number} options.count
 * @param {(index: number) => T | undefined} options.at
 * @param {() => HTMLElement} options.make
 * @param {(row: HTMLElement, item: T, index: number) => void} options.fill
 */
export function createWindowed({ scroller, canvas, count, at, make, fill }) {
  const EXTRA = 6;
  let rowHeight = 1;
  /** @type {Map<T, HTMLElement>} */
  let rows = new Map();
  /** @type {HTMLElement[]} */
  const spare = [];

  const above = () => canvas.offsetTop;
  const inSight = () => Math.max(1, scroller.clientHeight - above());

  function render() {
    const total = count();
    canvas.style.height = `${total * rowHeight}px`;
    const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - EXTRA);
    const last = Math.min(total, Math.ceil((scroller.scrollTop + inSight()) / rowHeight) + EXTRA);

    /** @type {[T, number][]} */
    const wanted = [];
    for (let index = first; index < last; index++) {
      const item = at(index);
      if (item !== undefined) wanted.push([item, index]);
    }
    const keep = new Set(wanted.map(([item]) => item));
    for (const [item, row] of rows) if (!keep.has(item)) spare.push(row);
    const before = rows;
    rows = new Map();
    let place = canvas.firstElementChild;
    for (const [item, index] of wanted) {
      const row = before.get(item) ?? spare.pop() ?? make();
      fill(row, item, index);
      row.style.transform = `translateY(${index * rowHeight}px)`;
      rows.set(item, row);
      if (row === place) place = place.nextElementSibling;
      else canvas.insertBefore(row, place);
    }
    for (const row of spare) row.remove();
    spare.length = Math.min(spare.length, 2 * EXTRA);
  }

  return {
    render,
    /** @param {number} height */
    setRowHeight(height) {
      // Keeps the top row in place.
      const top = scroller.scrollTop / rowHeight;
      const changed = rowHeight !== height;
      rowHeight = height;
      canvas.style.height = `${count() * rowHeight}px`;
      if (changed) scroller.scrollTop = top * rowHeight;
    },
    /** @param {number} index */
    reveal(index) {
      const top = index * rowHeight;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + rowHeight > scroller.scrollTop + inSight()) scroller.scrollTop = top + rowHeight - inSight();
    },
    rowsInSight: () => Math.max(1, Math.floor(inSight() / rowHeight)),
    /** @param {T} item */
    rowOf: (item) => rows.get(item),
  };
}
