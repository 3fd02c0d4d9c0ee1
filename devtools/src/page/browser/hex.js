import { el } from './dom.js';
import { createWindowed } from './windowed.js';

const ROW_HEIGHT = 18;

/** @param {number} byte */
const hex = (byte) => byte.toString(16).padStart(2, '0');
/** @param {number} byte */
const ascii = (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');

/**
 * One line of a dump: offset, bytes, and their ASCII characters.
 * @param {Uint8Array} bytes
 * @param {number} offset
 * @param {number} width bytes in a line
 */
export function hexLine(bytes, offset, width) {
  const part = bytes.subarray(offset, offset + width);
  const cells = Array.from(part, (byte, index) => (index === width / 2 ? ` ${hex(byte)}` : hex(byte))).join(' ');
  const wide = width * 3;
  return `${offset.toString(16).padStart(8, '0')}  ${cells.padEnd(wide)}  ${Array.from(part, ascii).join('')}`;
}

/**
 * A dump of any length: only visible lines are rendered.
 * @param {Uint8Array} bytes
 */
export function hexDump(bytes) {
  const canvas = el('div', { class: 'canvas' });
  const scroller = el(
    'div',
    { class: 'dump mono', tabindex: 0, role: 'group', 'aria-label': 'Body as a hex dump' },
    canvas,
  );
  let width = 16;
  const windowed = createWindowed({
    scroller,
    canvas,
    count: () => Math.ceil(bytes.length / width),
    at: (index) => index,
    make: () => el('div', { class: 'hex-row' }),
    fill(row, index) {
      row.textContent = hexLine(bytes, index * width, width);
    },
  });
  windowed.setRowHeight(ROW_HEIGHT);
  scroller.addEventListener('scroll', windowed.render, { passive: true });
  new ResizeObserver(() => {
    width = scroller.clientWidth < 560 ? 8 : 16;
    scroller.classList.toggle('short', bytes.length / width < 18);
    windowed.render();
  }).observe(scroller);
  return scroller;
}
