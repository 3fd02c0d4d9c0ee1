import { shortened } from './copy.js';
import { el, setText } from './dom.js';
import { bytes, clock, counted, duration, moment, until } from './format.js';
import { line } from './text.js';
import { verdictIcon } from './verdict.js';

/** @typedef {import('./types.js').Summary} Summary */

/** What a row of the list has, in order: class and heading. @type {readonly (readonly [string, string])[]} */
export const columns = [
  ['verdict', 'Verdict'],
  ['time', 'Time'],
  ['status', 'Status'],
  ['names', 'Events'],
  ['contract', 'Contract'],
  ['target', 'To'],
  ['count', 'Count'],
  ['size', 'Size'],
  ['took', 'Took'],
  ['attempts', 'Attempts'],
];

/** Limit of listed names; others are only counted. */
const MOST_NAMES = 4;

/** @param {readonly string[]} names */
function listed(names) {
  const first = names.slice(0, MOST_NAMES).map(line).join(', ');
  return names.length > MOST_NAMES ? `${first} and ${names.length - MOST_NAMES} more` : first;
}

/** @param {Summary} summary @param {number} now Unix milliseconds */
function attemptsOf({ attempts, nextAttemptAt }, now) {
  const tries = attempts > 1 ? counted(attempts, 'try', 'tries') : '';
  if (nextAttemptAt === undefined) return tries;
  return `${tries ? `${tries}, ` : ''}again ${until(nextAttemptAt, now)}`;
}

export function makeRow() {
  const cell = (/** @type {string} */ name) => el('div', { class: `cell ${name}`, role: 'gridcell' });
  const row = el('div', { class: 'row', role: 'row' }, ...columns.map(([name]) => cell(name)));
  const [verdict, , , names, contract, target] = /** @type {HTMLElement[]} */ ([...row.children]);
  verdict?.append(el('span', { class: 'verdict' }));
  names?.append(el('bdi'), el('span', { class: 'fault', hidden: true }));
  contract?.append(el('bdi'));
  target?.append(el('bdi'));
  return row;
}

/**
 * @param {HTMLElement} row
 * @param {Summary} summary
 * @param {number} now Unix milliseconds
 */
export function fillRow(row, summary, now) {
  const [verdict, time, status, names, contract, target, count, size, took, attempts] = /** @type {HTMLElement[]} */ ([
    ...row.children,
  ]);
  if (!verdict || !time || !status || !names || !contract || !target || !count || !size || !took || !attempts) return;
  if (row.dataset.verdict !== summary.verdict) {
    row.dataset.verdict = summary.verdict;
    const mark = verdict.firstElementChild;
    if (mark) mark.className = `verdict ${summary.verdict}`;
    mark?.replaceChildren(verdictIcon(summary.verdict), summary.verdict);
  }
  setText(time, clock(summary.at));
  time.title = moment(summary.at);
  setText(status, summary.status === undefined ? '' : String(summary.status));
  status.title = summary.code ? line(summary.code) : '';
  const [name, fault] = /** @type {HTMLElement[]} */ ([...names.children]);
  if (name) setText(name, listed(summary.names) || listed(summary.kinds) || 'no events');
  if (fault) {
    setText(fault, summary.fault ? line(summary.fault) : '');
    fault.hidden = !summary.fault;
  }
  names.title = [listed(summary.kinds), ...summary.names.slice(0, 20).map(line)].filter(Boolean).join('\n');
  setText(/** @type {Node} */ (contract.firstElementChild), listed(summary.contracts.map(shortened)));
  contract.title = listed(summary.contracts);
  setText(/** @type {Node} */ (target.firstElementChild), line(summary.label || summary.target));
  target.title = line(summary.target);
  setText(count, String(summary.events));
  setText(size, bytes(summary.bytes));
  setText(took, summary.durationMs === undefined ? '' : duration(summary.durationMs));
  setText(attempts, attemptsOf(summary, now));
}
