import type { Verdict } from '../../deliveries/delivery-record.js';
import { verdictOf } from '../../deliveries/verdict.js';
import type { Answer } from '../../post.js';

/** Latencies of the responses, in milliseconds. */
export interface Latency {
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** Percentiles by the nearest rank; undefined without durations. */
export function latencyOf(durations: readonly number[]): Latency | undefined {
  if (durations.length === 0) return undefined;
  const sorted = Float64Array.from(durations).sort();
  const rank = (share: number) => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number);
  return { min: rank(0), p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) };
}

export function createTally() {
  const byStatus: Record<string, number> = {};
  const verdicts = { accepted: 0, refused: 0, failed: 0 };
  const durations: number[] = [];
  let sent = 0;
  return {
    byStatus,
    verdicts,
    get sent() {
      return sent;
    },
    get answered() {
      return durations.length;
    },
    add(answer: Answer): void {
      const key = String(answer.status ?? answer.code);
      byStatus[key] = (byStatus[key] ?? 0) + 1;
      // An answer has a duration, so it is not pending.
      verdicts[verdictOf(answer) as Exclude<Verdict, 'pending'>]++;
      sent++;
      if (answer.status !== undefined) durations.push(answer.durationMs);
    },
    latency: () => latencyOf(durations),
  };
}
