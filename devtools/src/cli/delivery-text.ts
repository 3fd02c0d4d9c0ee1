import { htmlText } from '../deliveries/answer-text.js';
import type { Attempt, AttemptResponse } from '../deliveries/delivery-record.js';
import type { Row } from '../deliveries/rows.js';
import type { Summary } from '../deliveries/views.js';
import type { Finding } from '../explain/finding.js';
import type { Colors, Output } from './output.js';
import { wrapped } from './terminal/wrap.js';
import { visible } from './visible.js';

/** A delivery as text: a summary line with its result, then one row per item. */
export function deliveryText(summary: Summary, rows: readonly Row[], colors: Colors): string {
  const colour = { accepted: colors.green, refused: colors.red, failed: colors.red, pending: colors.yellow };
  const { verdict, status, at, target, events, bytes, durationMs = 0 } = summary;
  const answer = colour[verdict](`${status ?? '—'} ${verdict}`);
  const size = `${events} item${events === 1 ? '' : 's'}, ${bytes} bytes, ${durationMs} ms`;
  const head = `${colors.dim(timeOf(at))}  ${answer}  ${visible(target, 200)}  ${colors.dim(size)}`;
  const shown = rows.map((row) => row.map((cell) => visible(cell)));
  const wide = [0, 1, 2].map((at) => Math.min(32, Math.max(0, ...shown.map((row) => (row[at] as string).length))));
  const lines = shown.map((row) => {
    const text = row.map((cell, at) => cell.padEnd(wide[at] ?? 0)).join('  ');
    return `  ${text.trimEnd()}`;
  });
  const more = rows.length > 0 && events > rows.length ? [colors.dim(`  … ${events - rows.length} more`)] : [];
  return [head, ...lines, ...more].join('\n');
}

/** Why a delivery was not accepted: the reason, the start of the response, and the causes with their fixes. */
export function refusalText(
  { reason, response }: Pick<Attempt, 'reason' | 'response'>,
  findings: readonly Finding[],
  { colors, isTerminal, columns }: Pick<Output, 'colors' | 'isTerminal' | 'columns'>,
): string[] {
  const lines = reason === undefined ? [] : [visible(reason)];
  lines.push(...answerLines(response).map((line) => colors.dim(`│ ${line}`)));
  for (const { confidence, what, fix } of findings)
    lines.push(`${colors.yellow(confidence)}: ${visible(what)}`, visible(fix));
  return lines.map((line) => (isTerminal ? wrapped(line, columns) : `  ${line}`));
}

const ANSWER_LINES = 3;
const ANSWER_WIDTH = 200;

/** The first lines of a response that was not a success; of a page of HTML, its message. */
function answerLines(response: AttemptResponse | undefined): string[] {
  if (response === undefined) return [];
  const text = new TextDecoder().decode(Buffer.from(response.bodyBase64, 'base64'));
  const lines = (htmlText(text) ?? text)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const shown = lines.slice(0, ANSWER_LINES).map((line) => visible(line, ANSWER_WIDTH));
  return lines.length > ANSWER_LINES ? [...shown, `… ${lines.length - ANSWER_LINES} more lines`] : shown;
}

/** The local time of day. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
