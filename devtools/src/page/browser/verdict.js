import { el, svg } from './dom.js';

/** @typedef {import('./types.js').Verdict} Verdict */

/** In display order. @type {readonly Verdict[]} */
export const verdicts = ['accepted', 'refused', 'failed', 'pending'];

/** @type {Record<Verdict, string>} */
const shapes = {
  accepted: 'M3 8.5 6.5 12 13 4.5',
  refused: 'M8 2a6 6 0 1 1 0 12A6 6 0 1 1 8 2M3.8 3.8l8.4 8.4',
  failed: 'M4 4l8 8M12 4l-8 8',
  pending: 'M3 8h.01M8 8h.01M13 8h.01',
};

/** @type {Record<Verdict, string>} */
export const meanings = {
  accepted: 'The receiver answered 2xx: the delivery took effect.',
  refused: 'The receiver answered 403: it does not consider the delivery authentic.',
  failed: 'The receiver answered with an error, or not at all.',
  pending: 'No answer yet.',
};

/** @param {Verdict} verdict */
export function verdictIcon(verdict) {
  const path = svg('path', { d: shapes[verdict] ?? shapes.pending });
  return svg('svg', { class: `icon ${verdict}`, viewBox: '0 0 16 16', 'aria-hidden': 'true' }, path);
}

/**
 * The verdict in shape, word and colour.
 * @param {Verdict} verdict
 */
export function verdictMark(verdict) {
  return el(
    'span',
    { class: `verdict ${verdict}`, title: meanings[verdict] },
    verdictIcon(verdict),
    el('span', null, verdict),
  );
}
