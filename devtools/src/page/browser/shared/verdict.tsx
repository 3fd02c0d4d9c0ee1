import type { Verdict } from '../types.js';

/** In display order. */
export const verdicts: readonly Verdict[] = ['accepted', 'refused', 'failed', 'pending'];

const shapes: Record<Verdict, string> = {
  accepted: 'M3 8.5 6.5 12 13 4.5',
  refused: 'M8 2a6 6 0 1 1 0 12A6 6 0 1 1 8 2M3.8 3.8l8.4 8.4',
  failed: 'M4 4l8 8M12 4l-8 8',
  pending: 'M3 8h.01M8 8h.01M13 8h.01',
};

export const meanings: Record<Verdict, string> = {
  accepted: 'The receiver answered 2xx: the delivery took effect.',
  refused: 'The receiver answered 400, 401, 403 or 422: it checked the delivery and does not accept it.',
  failed: 'The receiver answered with another status, or not at all.',
  pending: 'No answer yet.',
};

export const VerdictIcon = ({ verdict }: { verdict: Verdict }) => (
  <svg class={`icon ${verdict}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[verdict] ?? shapes.pending} />
  </svg>
);

/** The verdict in shape, word and colour. */
export const VerdictMark = ({ verdict }: { verdict: Verdict }) => (
  <span class={`verdict ${verdict}`} title={meanings[verdict]}>
    <VerdictIcon verdict={verdict} />
    <span>{verdict}</span>
  </span>
);
