import { htmlText } from '../../deliveries/answer-text.js';
import type { Verdict } from '../../deliveries/delivery-record.js';
import { verdictOf } from '../../deliveries/verdict.js';
import { networkReason } from '../../network-errors.js';
import type { Answer } from '../../post.js';
import { countsText, filled, headText } from '../delivery-text.js';
import type { Colors } from '../output.js';
import { visible } from '../visible.js';

const round = (value: number) => Math.round(value * 100) / 100;
const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

/** Latencies of the responses, in milliseconds. */
export interface Latency {
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Percentiles by the nearest rank; undefined without durations. */
function latencyOf(durations: readonly number[]): Latency | undefined {
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

/** One delivery that was sent, and its result. */
export interface SentLine {
  readonly id: string;
  /** When it was sent, in Unix milliseconds. */
  readonly at: number;
  /** The URL, without the parts that may be secret. */
  readonly target: string;
  readonly tamper: string | undefined;
  readonly bytes: number;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

/** The results of a run. */
export interface Summary {
  readonly url: string;
  readonly tally: ReturnType<typeof createTally>;
  readonly durationMs: number;
  readonly interrupted: boolean;
  readonly tampered: boolean;
}

const ANSWER_SHOWN = 200;

/** A sent delivery as a JSON document, with the names of those of `listen`. */
export function deliveryJson({ answer, ...line }: SentLine) {
  const { status, code, location, body } = answer;
  return { delivery: { ...line, status, code, durationMs: round(answer.durationMs), location, answer: body } };
}

/** A sent delivery as a line: the result, the tamper, the latency, and the start of the response. */
export function sentText({ id, tamper, answer, verdict }: SentLine, colors: Colors): string {
  const { status, code, durationMs } = answer;
  const isWanted = verdict === (tamper === undefined ? 'accepted' : 'refused');
  const paint = tamper === undefined ? undefined : isWanted ? colors.green : colors.red;
  return filled([
    headText({ id, verdict, status, code }, colors, { paint }),
    tamper?.padEnd(13) ?? '',
    ms(durationMs).padStart(8),
    status === undefined ? networkReason(code) : '',
    tamper !== undefined && verdict === 'accepted' ? colors.red('should have been refused') : '',
    answer.location === undefined ? '' : `→ ${visible(answer.location, ANSWER_SHOWN)} (not followed)`,
    verdict === 'accepted' ? '' : visible(htmlText(answer.body) ?? answer.body.trim(), ANSWER_SHOWN),
  ]);
}

export const summaryJson = ({ url, tally, durationMs, interrupted }: Summary) => ({
  summary: {
    ...{ url, deliveries: tally.sent, ...tally.verdicts, byStatus: tally.byStatus, latencyMs: tally.latency() },
    ...{ durationMs: round(durationMs), interrupted },
  },
});

/** The results of a run: counts by status, and latencies. */
export function summaryText({ url, tally, durationMs, interrupted, tampered }: Summary, colors: Colors): string {
  const { accepted } = tally.verdicts;
  const rate = Math.round((tally.sent / Math.max(durationMs, 1)) * 1000);
  const statuses = Object.entries(tally.byStatus).map(([status, count]) => `${count} × ${status}`);
  const latency = tally.latency();
  const lines = [
    `${colors.bold(`${tally.sent} sent`)} to ${visible(url)} in ${(durationMs / 1000).toFixed(2)} s (${rate} per second): ${statuses.join(', ') || 'none'}`,
    countsText(tally.verdicts, colors),
  ];
  if (latency) {
    const { min, p50, p90, p99, max } = latency;
    lines.push(`latency: min ${ms(min)}, p50 ${ms(p50)}, p90 ${ms(p90)}, p99 ${ms(p99)}, max ${ms(max)}`);
  }
  if (tampered && accepted > 0)
    lines.push(colors.red(`${accepted} tampered deliveries were accepted but should have been refused.`));
  if (interrupted) lines.push('Stopped before all were sent.');
  return lines.filter((line) => line !== '').join('\n');
}
