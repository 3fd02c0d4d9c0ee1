import wrapAnsi from 'wrap-ansi';
import { amountText } from '../deliveries/amounts.js';
import { htmlText } from '../deliveries/answer-text.js';
import type { Attempt, AttemptResponse } from '../deliveries/delivery-record.js';
import { type InputView, type ItemView, itemViews } from '../deliveries/item-view.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { type Row, shortHex } from '../deliveries/rows.js';
import type { Summary } from '../deliveries/views.js';
import type { Finding } from '../explain/finding.js';
import type { Colors, Output } from './output.js';
import { visible } from './visible.js';

/** A delivery to print. */
export interface Printed {
  readonly summary: Summary;
  readonly last: Attempt;
  readonly rows: readonly Row[];
  /** Empty unless the style decodes. */
  readonly items: readonly ItemView[];
}

/** How deliveries are printed. */
export interface Style {
  /** Decodes the items of an authentic body, if the style shows values in full. */
  decode?(rawBody: Uint8Array): readonly ItemView[];
  /** Whether the text contains the reason for a refusal. */
  readonly saysWhy?: true;
  text(printed: Printed, colors: Colors): string;
  documents(printed: Printed, findings: readonly Finding[]): object[];
}

/** `listen`: a delivery with its items. */
export const deliveryStyle: Style = {
  text: ({ summary, rows }, colors) => deliveryText(summary, rows, colors),
  documents: ({ summary, last: { reason } }, findings) => [{ delivery: { ...summary, reason, findings } }],
};

/** `emulate`: an attempt to deliver. */
export const attemptStyle: Style = {
  saysWhy: true,
  text: ({ summary, last }, colors) => attemptText(summary, last, colors),
  documents: ({ summary, last: { reason } }, findings) => [{ attempt: { ...summary, reason, findings } }],
};

/** `--events`: one line, or one JSON document, per event. */
export function eventStyle(contracts: () => KnownContracts): Style {
  return {
    decode: (rawBody) => itemViews(rawBody, contracts()),
    text: ({ summary, items }, colors) => {
      const { events, target, label } = summary;
      const head = headOf(summary, summary.at, colors);
      if (items.length === 0) return `${head}  ${visible(label ?? target, 60)}  ${colors.dim('no events')}`;
      const lines = items.map((item) => `${head}  ${eventText(item, colors)}`);
      return [...lines, ...moreText(events - items.length, colors)].join('\n');
    },
    documents: ({ summary: { id, at, verdict, status }, last: { reason }, items }, findings) => {
      const delivery = { delivery: id, at, verdict, status, reason };
      if (items.length === 0) return [{ event: { ...delivery, findings } }];
      return items.map((item) => ({ event: { ...delivery, ...item, findings } }));
    },
  };
}

function headOf({ verdict, status }: Summary, at: number, colors: Colors): string {
  const colour = { accepted: colors.green, refused: colors.red, failed: colors.red, pending: colors.yellow };
  return `${colors.dim(timeOf(at))}  ${colour[verdict](`${status ?? '—'} ${verdict}`)}`;
}

const itemCount = (events: number) => `${events} item${events === 1 ? '' : 's'}`;

const moreText = (more: number, colors: Colors) => (more > 0 ? [colors.dim(`  … ${more} more`)] : []);

const filled = (parts: readonly string[]) => parts.filter((part) => part !== '').join('  ');

/** A delivery as text: a summary line with its result, then one row per item. */
export function deliveryText(summary: Summary, rows: readonly Row[], colors: Colors): string {
  const { at, target, events, bytes, durationMs = 0 } = summary;
  const size = `${itemCount(events)}, ${bytes} bytes, ${durationMs} ms`;
  const head = `${headOf(summary, at, colors)}  ${visible(target, 200)}  ${colors.dim(size)}`;
  const shown = rows.map((row) => row.map((cell) => visible(cell)));
  const wide = [0, 1, 2].map((at) => Math.min(32, Math.max(0, ...shown.map((row) => (row[at] as string).length))));
  const lines = shown.map((row) => {
    const text = row.map((cell, at) => cell.padEnd(wide[at] ?? 0)).join('  ');
    return `  ${text.trimEnd()}`;
  });
  return [head, ...lines, ...(rows.length > 0 ? moreText(events - rows.length, colors) : [])].join('\n');
}

export function attemptText(summary: Summary, { at, reason }: Attempt, colors: Colors): string {
  const { label = '', events, durationMs = 0, attempts, fault, nextAttemptAt } = summary;
  const what = [...summary.names, ...summary.kinds.filter((kind) => kind !== 'event.emitted')].join(', ');
  return filled([
    headOf(summary, at, colors),
    visible(label, 60),
    visible(what, 80),
    colors.dim(`${itemCount(events)}, ${durationMs} ms`),
    visible(summary.gist),
    attempts > 1 ? `attempt ${attempts}` : '',
    fault ? colors.yellow(`fault: ${visible(fault, 200)}`) : '',
    reason ? visible(reason, 200) : '',
    nextAttemptAt === undefined ? '' : `next attempt at ${timeOf(nextAttemptAt)}`,
  ]);
}

function eventText(item: ItemView, colors: Colors): string {
  const { status, kind = '', name = kind, contract, inputs = [], issues = [], removed } = item;
  if (status !== 'event') {
    const [issue] = issues;
    return `${colors.yellow(status)}  ${visible(issue ? `${issue.path || 'item'}: ${issue.message}` : kind, 200)}`;
  }
  const where = contract ? contract.label || shortHex(contract.address) : '';
  const parts = [colors.bold(visible(name, 40)), visible(where, 40), ...inputs.map(inputText)];
  return filled([...parts, removed ? colors.yellow('removed') : '']);
}

function inputText({ name, value, exact, formatted, symbol = '' }: InputView): string {
  const amount = formatted === undefined ? undefined : `${amountText(formatted, undefined)} ${symbol}`.trim();
  return `${visible(name, 40)} ${visible(amount ?? exact ?? shortHex(value), 80)}`.trim();
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

/** The local time of day. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

const INDENT = '  ';

/** A text as indented lines, no wider than a terminal. */
function wrapped(text: string, columns: number): string {
  return wrapAnsi(text, Math.max(20, columns - INDENT.length - 1), { hard: true })
    .split('\n')
    .map((line) => `${INDENT}${line}`)
    .join('\n');
}
