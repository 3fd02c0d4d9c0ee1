import { verdicts } from '../shared/verdict.js';
import type { Entry } from '../store.js';
import type { Verdict } from '../types.js';

export type Counts = Record<Verdict, number>;

/** The deliveries of a time range, by verdict. */
export interface Bucket {
  /** Start of the range, Unix milliseconds. */
  readonly at: number;
  readonly counts: Counts;
}

/** Time range of the chart. */
export const SPAN_MS = 300_000;
/** Time range of one bar. */
export const STEP_MS = 10_000;

const none = (): Counts => ({ accepted: 0, refused: 0, failed: 0, pending: 0 });

/**
 * Deliveries of the last minutes by verdict, in equal steps, the oldest first. A step begins at a whole multiple of its
 * length, so that a bar changes only by deliveries.
 *
 * @param now Unix milliseconds
 */
export function buckets(entries: readonly Entry[], now: number, stepMs = STEP_MS): Bucket[] {
  const end = Math.ceil(now / stepMs) * stepMs;
  const from = end - SPAN_MS;
  const steps = Array.from({ length: SPAN_MS / stepMs }, (_, index) => ({ at: from + index * stepMs, counts: none() }));
  for (const { summary } of entries) {
    const step = steps[Math.floor((summary.at - from) / stepMs)];
    if (step) step.counts[summary.verdict]++;
  }
  return steps;
}

/** All deliveries of a step. */
export const sumOf = (counts: Counts) => verdicts.reduce((sum, verdict) => sum + counts[verdict], 0);

export function totals(steps: readonly Bucket[]): Counts {
  const sum = none();
  for (const { counts } of steps) for (const verdict of verdicts) sum[verdict] += counts[verdict];
  return sum;
}
