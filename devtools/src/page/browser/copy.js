import { el } from './dom.js';
import { notify } from './notices.js';
import { line } from './text.js';

/**
 * Puts text on the clipboard, and says so.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied.`);
  } catch {
    notify(`${what} could not be copied: the browser denied access to the clipboard.`, 'bad');
  }
}

/**
 * A button that copies.
 * @param {string} label
 * @param {() => string} text
 * @param {string} what
 */
export function copyButton(label, text, what) {
  return el('button', { type: 'button', onclick: () => void copy(text(), what) }, label);
}

const HEX = /^0x[0-9a-f]{16,}$/i;

/** Whether a value is an address, a hash or other hex that is shown short. @param {string} value */
export const isLongHex = (value) => value.length <= 66 && HEX.test(value);

/** The beginning and the end of a long hex value. @param {string} value */
export const shortened = (value) => (isLongHex(value) ? `${value.slice(0, 6)}…${value.slice(-4)}` : value);

/**
 * A shortened address or hash. Copying, its title and assistive technology use the full value.
 * @param {string} value
 * @param {string} [what]
 */
export function shortHex(value, what = value.length === 42 ? 'Address' : 'Hash') {
  const whole = line(value);
  if (!isLongHex(value)) return el('bdi', { class: 'mono' }, whole);
  return el(
    'button',
    { type: 'button', class: 'hex mono', title: `${whole}\nClick to copy`, onclick: () => void copy(value, what) },
    el('span', { 'aria-hidden': 'true' }, shortened(value)),
    el('span', { class: 'unseen' }, `Copy ${whole}`),
  );
}
