import { htmlText } from '../../deliveries/answer-text.js';
import type { Verdict } from '../../deliveries/delivery-record.js';
import type { Answer } from '../../post.js';
import type { Colors } from '../output.js';
import { reachReason } from '../urls.js';
import { visible } from '../visible.js';
import type { createTally } from './tally.js';

/** One delivery that was sent, and its result. */
export interface SentLine {
  readonly number: number;
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
const round = (value: number) => Math.round(value * 100) / 100;
const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

export const deliveryJson = ({ number, tamper, bytes, answer, verdict }: SentLine) => ({
  type: 'delivery',
  number,
  tamper,
  bytes,
  status: answer.status,
  code: answer.code,
  verdict,
  durationMs: round(answer.durationMs),
  location: answer.location,
  answer: answer.body,
});

/** A sent delivery as a line: the tamper, the status, the latency, and the start of the response. */
export function answerText({ number, tamper, answer, verdict }: SentLine, colors: Colors): string {
  const good = tamper === undefined ? verdict === 'accepted' : verdict === 'refused';
  const paint = good ? colors.green : colors.red;
  const result = `${answer.status ?? answer.code} ${verdict}`.padEnd(16);
  const asBroken = tamper === undefined ? '' : `${tamper.padEnd(13)} `;
  const parts = [`#${number}`.padEnd(5), `${asBroken}${paint(result)}`, ms(answer.durationMs).padStart(8)];
  const location = answer.location === undefined ? '' : `→ ${visible(answer.location, ANSWER_SHOWN)} (not followed)`;
  const body = verdict === 'accepted' ? '' : visible(htmlText(answer.body) ?? answer.body.trim(), ANSWER_SHOWN);
  const why = answer.status === undefined ? reachReason(answer.code) : '';
  const wrong = tamper !== undefined && verdict === 'accepted' ? colors.red('should have been refused') : '';
  return [...parts, why, wrong, location, body].filter((part) => part !== '').join('  ');
}

export const summaryJson = ({ url, tally, durationMs, interrupted }: Summary) => ({
  type: 'summary',
  url,
  sent: tally.sent,
  ...tally.verdicts,
  byStatus: tally.byStatus,
  latencyMs: tally.latency(),
  durationMs: round(durationMs),
  interrupted,
});

/** The results of a run: the number of each status, and the latencies. */
export function summaryText({ url, tally, durationMs, interrupted, tampered }: Summary, colors: Colors): string {
  const { accepted, refused, failed } = tally.verdicts;
  const rate = Math.round((tally.sent / Math.max(durationMs, 1)) * 1000);
  const statuses = Object.entries(tally.byStatus).map(([status, count]) => `${count} × ${status}`);
  const latency = tally.latency();
  const lines = [
    `${colors.bold(`${tally.sent} sent`)} to ${visible(url)} in ${(durationMs / 1000).toFixed(2)} s (${rate} per second): ${statuses.join(', ') || 'none'}`,
    `${accepted} accepted, ${refused} refused, ${failed} failed`,
  ];
  if (latency) {
    const { min, p50, p90, p99, max } = latency;
    lines.push(`latency: min ${ms(min)}, p50 ${ms(p50)}, p90 ${ms(p90)}, p99 ${ms(p99)}, max ${ms(max)}`);
  }
  if (tampered && accepted > 0)
    lines.push(colors.red(`${accepted} tampered deliveries were accepted but should have been refused.`));
  if (interrupted) lines.push('Stopped before all were sent.');
  return lines.join('\n');
}
