import type { Row } from '../deliveries/rows.js';
import type { Summary } from '../deliveries/views.js';
import type { Finding } from '../explain/finding.js';
import type { Colors } from './output.js';
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

/** Why a delivery was not accepted: the reason, then the most likely cause with its fix. */
export function refusalText(reason: string | undefined, finding: Finding | undefined, colors: Colors): string[] {
  const lines = reason === undefined ? [] : [`  ${visible(reason)}`];
  if (finding) {
    lines.push(`  ${colors.yellow(finding.confidence)}: ${visible(finding.what)}`, `  ${visible(finding.fix)}`);
  }
  return lines;
}

/** The local time of day. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
