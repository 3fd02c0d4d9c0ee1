import { verdicts } from './verdict.js';

/** @typedef {import('./types.js').Verdict} Verdict */
/** @typedef {Record<Verdict, number>} Counts */

/** Time range of the chart. */
export const SPAN_MS = 300_000;
/** Time range of one bar. */
export const STEP_MS = 10_000;

/** @returns {Counts} */
const none = () => ({ accepted: 0, refused: 0, failed: 0, pending: 0 });

/**
 * Deliveries of the last minutes by verdict, in equal steps, the oldest first. A step begins at a whole multiple of its
 * length, so that a bar does not change but by deliveries.
 * @param {readonly import('./store.js').Entry[]} entries
 * @param {number} now Unix milliseconds
 * @param {number} [stepMs]
 */
export function buckets(entries, now, stepMs = STEP_MS) {
  const end = Math.ceil(now / stepMs) * stepMs;
  const from = end - SPAN_MS;
  const steps = Array.from({ length: SPAN_MS / stepMs }, (_, index) => ({ at: from + index * stepMs, counts: none() }));
  for (const { summary } of entries) {
    const step = steps[Math.floor((summary.at - from) / stepMs)];
    if (step && verdicts.includes(summary.verdict)) step.counts[summary.verdict]++;
  }
  return steps;
}

/** @param {readonly { counts: Counts }[]} steps */
export function totals(steps) {
  const sum = none();
  for (const { counts } of steps) for (const verdict of verdicts) sum[verdict] += counts[verdict];
  return sum;
}
