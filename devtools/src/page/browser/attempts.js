import { el } from './dom.js';
import { clock, duration, moment, until } from './format.js';
import { longText, wire } from './text.js';

/** @typedef {import('./types.js').Attempt} Attempt */

/** @param {Attempt} attempt @param {number} index */
function attemptRow({ at, status, reason, code, durationMs, fault }, index) {
  const answer = status ?? (code || reason ? 'none' : '…');
  return el(
    'tr',
    null,
    el('th', { scope: 'row' }, String(index + 1)),
    el('td', { class: 'mono', title: moment(at) }, clock(at)),
    el('td', null, String(answer)),
    el('td', null, durationMs === undefined ? '' : duration(durationMs)),
    el(
      'td',
      { class: 'why' },
      fault && el('span', { class: 'fault' }, wire(fault)),
      fault && (code || reason) && ' ',
      code && wire(code, 'code'),
      code && reason && ' ',
      reason && longText(reason),
    ),
  );
}

/**
 * Every attempt, with its answer.
 * @param {readonly Attempt[]} attempts
 */
export function attemptTable(attempts) {
  const headings = ['#', 'Sent', 'Answer', 'Took', 'Reason'].map((title) => el('th', { scope: 'col' }, title));
  const rows = attempts.map(attemptRow);
  return el('table', { class: 'attempts' }, el('thead', null, el('tr', null, ...headings)), el('tbody', null, ...rows));
}

/** @param {number | undefined} nextAttemptAt @param {number} now Unix milliseconds */
export function nextAttempt(nextAttemptAt, now) {
  return nextAttemptAt === undefined ? '' : `Next attempt ${until(nextAttemptAt, now)}, at ${clock(nextAttemptAt)}.`;
}
