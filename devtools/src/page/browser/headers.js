import { el } from './dom.js';
import { longText, wire } from './text.js';

/**
 * Headers as they were sent.
 * @param {readonly import('./types.js').HeaderLine[]} headers
 */
export function headerTable(headers) {
  const rows = headers.map(([name, value]) =>
    el('tr', null, el('th', { scope: 'row' }, wire(name)), el('td', { class: 'mono' }, longText(value))),
  );
  return el('table', { class: 'headers' }, el('tbody', null, ...rows));
}
