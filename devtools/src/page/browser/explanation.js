import { el } from './dom.js';
import { duration } from './format.js';
import { longText, wire } from './text.js';
import { meanings, verdictMark } from './verdict.js';

/** @typedef {import('./types.js').Detail} Detail */
/** @typedef {import('./types.js').Finding} Finding */

/** @param {Finding} finding */
function findingItem({ what, confidence, fix, cause }) {
  return el(
    'li',
    { class: 'finding', 'data-cause': cause },
    el('p', { class: 'what' }, el('span', { class: `sure ${confidence}` }, confidence), ' ', longText(what)),
    el('p', { class: 'fix' }, el('strong', null, 'Fix: '), longText(fix)),
  );
}

/** @param {Detail} detail */
function answerOf({ status, durationMs, verdict }) {
  const took = durationMs === undefined ? '' : ` in ${duration(durationMs)}`;
  if (status !== undefined) return `Answered ${status}${took}.`;
  return verdict === 'pending' ? meanings.pending : `No answer${took}.`;
}

/**
 * The verdict and its reasons.
 * @param {Detail} detail
 */
export function explanation(detail) {
  const last = detail.attempts.at(-1);
  const { findings } = detail;
  const isTold = findings.some(({ cause }) => cause === 'fault-on-request');
  return [
    el('p', { class: 'answer' }, verdictMark(detail.verdict), el('span', null, answerOf(detail))),
    last?.fault && !isTold && el('p', null, 'Fault: ', wire(last.fault, 'fault'), '.'),
    (last?.reason || last?.code) &&
      el(
        'p',
        { class: 'reason' },
        last.code && wire(last.code, 'code'),
        last.code && last.reason && ' ',
        last.reason && longText(last.reason),
      ),
    findings.length > 0 && el('h4', null, 'Why'),
    findings.length > 0 && el('ul', { class: 'findings' }, ...findings.map(findingItem)),
  ];
}
