import { byId, el, onFrame, setText } from './dom.js';
import { counted } from './format.js';
import { columns, fillRow, makeRow } from './row.js';
import { createWindowed } from './windowed.js';

/** @typedef {import('./store.js').Entry} Entry */

const ROW = 32;
const TALL_ROW = 54;
/** Below this, a row has two lines (list.css). */
const NARROW = 620;

/**
 * The list of deliveries: a grid in which arrows move, Enter opens and Escape closes.
 * @param {object} options
 * @param {import('./view.js').View} options.view
 * @param {() => number} options.now Unix milliseconds, of the server
 * @param {(entry: Entry, how: 'key' | 'pointer' | 'move') => void} options.onOpen
 * @param {() => void} options.onEscape
 */
export function createList({ view, now, onOpen, onEscape }) {
  const scroller = byId('list');
  const waiting = byId('waiting');
  const head = el(
    'div',
    { class: 'row head', role: 'row', 'aria-rowindex': 1 },
    ...columns.map(([name, title]) => el('div', { class: `cell ${name}`, role: 'columnheader' }, title)),
  );
  const canvas = el('div', { class: 'canvas', role: 'rowgroup' });
  scroller.append(el('div', { class: 'head-group', role: 'rowgroup' }, head), canvas);
  for (const [name, value] of Object.entries({
    role: 'grid',
    tabindex: '0',
    'aria-label': 'Deliveries, newest first',
  })) {
    scroller.setAttribute(name, value);
  }

  /** What the keyboard is on. @type {Entry | undefined} */
  let active;
  /** What the panel shows. @type {Entry | undefined} */
  let opened;
  let byKeyboard = false;
  /** What each row stands for. @type {WeakMap<Element, Entry>} */
  const shown = new WeakMap();

  const windowed = createWindowed({
    scroller,
    canvas,
    count: () => view.length(),
    at: (index) => view.at(index),
    make: makeRow,
    /** @param {HTMLElement} row @param {Entry} entry @param {number} index */
    fill(row, entry, index) {
      row.id = `row-${entry.seq}`;
      shown.set(row, entry);
      row.setAttribute('aria-rowindex', String(index + 2));
      row.setAttribute('aria-selected', String(entry === opened));
      row.classList.toggle('active', entry === active);
      fillRow(row, entry.summary, now());
    },
  });

  function render() {
    const moved = scroller.scrollTop > 0 || opened !== undefined || active !== undefined;
    if (moved) view.hold();
    else view.release();
    windowed.render();
    const row = active && windowed.rowOf(active);
    if (row) scroller.setAttribute('aria-activedescendant', row.id);
    else scroller.removeAttribute('aria-activedescendant');
    scroller.setAttribute('aria-rowcount', String(view.length() + 1));
    const count = view.waiting();
    waiting.hidden = count === 0;
    if (count > 0) setText(waiting, `↑ ${counted(count, 'new delivery', 'new deliveries')}`);
  }
  const update = () => onFrame(render);

  /** @param {number} index */
  function moveTo(index) {
    const entry = view.at(Math.max(0, Math.min(view.length() - 1, index)));
    if (!entry) return;
    active = entry;
    byKeyboard = true;
    view.hold();
    windowed.reveal(view.indexOf(entry));
    if (opened) onOpen(entry, 'move');
    render();
  }

  function toTop() {
    active = undefined;
    view.release();
    scroller.scrollTop = 0;
    update();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = active ? view.indexOf(active) : -1;
    const page = windowed.rowsInSight() - 1;
    const first = Math.ceil(scroller.scrollTop / rowHeight());
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => moveTo(index < 0 ? first : index + 1),
      ArrowUp: () => moveTo(index < 0 ? first : index - 1),
      PageDown: () => moveTo(Math.max(0, index) + page),
      PageUp: () => moveTo(Math.max(0, index) - page),
      Home: () => moveTo(0),
      End: () => moveTo(view.length() - 1),
      Enter: () => active && onOpen(active, 'key'),
      ' ': () => active && onOpen(active, 'key'),
      Escape: () => (opened ? onEscape() : toTop()),
    };
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {Event} event */
  function entryOf(event) {
    const row = event.target instanceof Element ? event.target.closest('.canvas > .row') : null;
    return row ? shown.get(row) : undefined;
  }

  // Opens the row that was pressed, even if rows move before the button is released.
  /** @type {Entry | undefined} */
  let pressed;
  scroller.addEventListener('pointerdown', (event) => {
    pressed = entryOf(event);
  });
  scroller.addEventListener('click', (event) => {
    const entry = pressed ?? entryOf(event);
    pressed = undefined;
    if (!entry || getSelection()?.type === 'Range') return;
    active = entry;
    byKeyboard = false;
    onOpen(entry, 'pointer');
  });
  scroller.addEventListener('keydown', onKey);
  scroller.addEventListener('scroll', update, { passive: true });
  waiting.addEventListener('click', () => {
    toTop();
    scroller.focus({ preventScroll: true });
  });

  const rowHeight = () => (scroller.classList.contains('narrow') ? TALL_ROW : ROW);
  new ResizeObserver(() => {
    scroller.classList.toggle('narrow', scroller.clientWidth < NARROW);
    windowed.setRowHeight(rowHeight());
    update();
  }).observe(scroller);

  return {
    update,
    /** @param {Entry | undefined} entry what the panel shows */
    mark(entry) {
      opened = entry;
      if (entry) active = entry;
      update();
    },
    /** The panel was closed: new deliveries appear again, unless the keyboard focus is in the list. */
    leave() {
      if (scroller.scrollTop === 0 && !byKeyboard) active = undefined;
      update();
    },
    focus: () => scroller.focus({ preventScroll: true }),
    toTop,
  };
}
