import { htmlText } from '../deliveries/answer-text.js';
import type { Attempt, AttemptResponse, Verdict } from '../deliveries/delivery-record.js';
import type { KeptDelivery } from '../deliveries/feed.js';
import { lastOf, type Summary } from '../deliveries/views.js';
import type { Finding } from '../explain/finding.js';
import type { Colors } from './output.js';
import { visible } from './visible.js';

/** The start of each line about a delivery. */
export interface Headed {
  /** The number after `#`. */
  readonly id: string;
  readonly verdict: Verdict;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
}

/** The colours of the verdicts, the same as on the page. */
export const paints = (colors: Colors): Readonly<Record<Verdict, (text: string) => string>> => ({
  accepted: colors.green,
  refused: colors.yellow,
  failed: colors.red,
  pending: colors.dim,
});

/** The number of a delivery, and its result. `time` is a time of day. */
export function headText(
  { id, verdict, status, code }: Headed,
  colors: Colors,
  { time = '', paint = paints(colors)[verdict] } = {},
): string {
  const result = `${status ?? code ?? '—'} ${verdict}`.padEnd(12);
  return filled([`#${id}`.padEnd(4), colors.dim(time), paint(result)]);
}

/** The parts that are not empty, two spaces apart. */
export const filled = (parts: readonly string[]) => parts.filter((part) => part !== '').join('  ');

/** Numbers with verdicts, such as "2 accepted, 1 refused". */
export const countsText = (counts: Readonly<Partial<Record<Verdict, number>>>, colors: Colors) =>
  (Object.keys(paints(colors)) as Verdict[])
    .filter((verdict) => (counts[verdict] ?? 0) > 0)
    .map((verdict) => paints(colors)[verdict](`${counts[verdict]} ${verdict}`))
    .join(', ');

/** A delivery as one line, after its last attempt. */
export function deliveryText(summary: Summary, last: Attempt, colors: Colors): string {
  const { label, target, events, unread, bytes, durationMs, attempts, fault, nextAttemptAt } = summary;
  const what = [...summary.names, ...summary.kinds.filter((kind) => kind !== 'event.emitted')].join(', ');
  const items = unread ? `${bytes} bytes, not read` : `${events} items`;
  return filled([
    headText(summary, colors, { time: timeOf(last.at) }),
    colors.bold(visible(what, 80)),
    visible(summary.gist),
    summary.removed ? colors.yellow('removed by a re-org') : '',
    events === 1 ? '' : items,
    colors.dim(visible(label ?? target, 60)),
    durationMs === undefined ? '' : colors.dim(`${durationMs} ms`),
    attempts > 1 ? colors.cyan(`sent again, attempt ${attempts}`) : '',
    fault ? colors.yellow(`fault: ${visible(fault, 200)}`) : '',
    nextAttemptAt === undefined ? '' : `next attempt at ${timeOf(nextAttemptAt)}`,
  ]);
}

/** Why a delivery was not accepted: the start of the response, then the causes with their fixes, or the reason. */
export function refusalLines(
  { reason, response }: Pick<Attempt, 'reason' | 'response'>,
  findings: readonly Finding[],
  colors: Colors,
): string[] {
  const causes = findings.flatMap(({ confidence, what, fix }) => [
    `${confidence ? `${colors.yellow(confidence)}: ` : ''}${visible(what)}`,
    visible(fix),
  ]);
  const why = causes.length === 0 && reason !== undefined ? [visible(reason)] : causes;
  return [...answerLines(response).map((line) => colors.dim(`│ ${line}`)), ...why];
}

const ANSWER_LINES = 3;
const ANSWER_WIDTH = 200;

/** The first lines of an unsuccessful response; for an HTML page, its message. */
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

/** Longest body that is shown in details, in characters. */
const BODY_SHOWN = 1000;

/** The headers and the body of a delivery, which its line does not show. */
export function detailLines(record: KeptDelivery, colors: Colors): string[] {
  const { rawBody, bodyDropped, target } = record;
  const body = visible(new TextDecoder().decode(rawBody.subarray(0, 2 * BODY_SHOWN)), BODY_SHOWN);
  return [
    `POST ${visible(target, 200)}`,
    ...lastOf(record).headers.map(([name, value]) => `${colors.dim(`${visible(name, 100)}:`)} ${visible(value, 500)}`),
    ...(bodyDropped ? ['The body is not kept.'] : [`${rawBody.byteLength} bytes:`, body]),
  ];
}

/** The local time of day. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
