import type { DeliveryItem } from '../delivery.js';
import type { EventEmitted, JsonValue } from '../events.js';
import type { Finding } from '../explain/finding.js';
import { textOf } from '../workbench/bounded.js';
import type { Summary } from '../workbench/views.js';
import type { Colors } from './output.js';
import { visible } from './visible.js';

/** More rows are counted. */
const ROWS = 20;
const INPUTS = 8;
const HEX = /^0x[\da-f]{40,}$/i;

/** A delivery as lines for people: what it is and what came of it, then a row for each item. */
export function deliveryText(summary: Summary, items: readonly DeliveryItem[], colors: Colors): string {
  const colour = { accepted: colors.green, refused: colors.red, failed: colors.red, pending: colors.yellow };
  const { verdict, status, at, target, events, bytes, durationMs = 0 } = summary;
  const answer = colour[verdict](`${status ?? '—'} ${verdict}`);
  const size = `${events} item${events === 1 ? '' : 's'}, ${bytes} bytes, ${durationMs} ms`;
  const head = `${colors.dim(timeOf(at))}  ${answer}  ${visible(target, 200)}  ${colors.dim(size)}`;
  const rows = items.slice(0, ROWS).map(cellsOf);
  const wide = [0, 1, 2].map((at) => Math.min(32, Math.max(0, ...rows.map((row) => (row[at] as string).length))));
  const lines = rows.map((row) => {
    const text = row.map((cell, at) => cell.padEnd(wide[at] ?? 0)).join('  ');
    return `  ${text.trimEnd()}`;
  });
  const more = items.length > ROWS ? [colors.dim(`  … ${items.length - ROWS} more`)] : [];
  return [head, ...lines, ...more].join('\n');
}

/** Why a delivery was not accepted: the reason, and the likeliest cause with its fix. */
export function refusalText(reason: string | undefined, finding: Finding | undefined, colors: Colors): string[] {
  const lines = reason === undefined ? [] : [`  ${visible(reason)}`];
  if (finding) {
    lines.push(`  ${colors.yellow(finding.confidence)}: ${visible(finding.what)}`, `  ${visible(finding.fix)}`);
  }
  return lines;
}

/** The time of day here. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** Kind, name, contract and values. */
function cellsOf(item: DeliveryItem): [string, string, string, string] {
  if (item.status === 'invalid') {
    const [issue] = item.issues;
    const where = issue?.path.join('.') || 'item';
    return ['invalid', '', '', visible(issue ? `${where}: ${issue.message}` : '', 200)];
  }
  if (item.status === 'unknown') return [visible(item.kind, 40), '', '', 'a kind that this version does not know'];
  const { event } = item;
  if (event.event === 'event.emitted') return emitted(event);
  const { tx, status, failed } = event.data;
  const to = typeof tx?.to === 'string' ? short(tx.to) : '';
  const hash = typeof tx?.hash === 'string' ? `hash ${short(tx.hash)}` : '';
  return [event.event, visible(textOf(status ?? ''), 40), to, failed === true ? `${hash}  failed` : hash];
}

function emitted({ event: kind, data }: EventEmitted): [string, string, string, string] {
  const { name, contract, inputs } = data.event;
  const values = inputs.slice(0, INPUTS).map((input) => `${visible(input.name, 40)} ${short(input.value)}`.trim());
  if (inputs.length > INPUTS) values.push(`… ${inputs.length - INPUTS} more`);
  const where = visible(contract.label || contract.addressLabel, 40) || short(contract.address);
  return [kind, visible(name, 40), where, values.join('  ')];
}

/** A value in few characters: addresses and hashes by their ends. */
function short(value: JsonValue): string {
  const text = textOf(value);
  return HEX.test(text) ? `${text.slice(0, 6)}…${text.slice(-4)}` : visible(text, 80);
}
