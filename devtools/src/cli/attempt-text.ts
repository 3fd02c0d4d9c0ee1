import type { Attempt } from '../deliveries/delivery-record.js';
import type { Summary } from '../deliveries/views.js';
import { timeOf } from './delivery-text.js';
import type { Colors } from './output.js';
import { visible } from './visible.js';

/** A delivery attempt, as one line. */
export function attemptText(summary: Summary, { at, reason }: Attempt, colors: Colors): string {
  const { verdict, status, label = '', events, durationMs = 0, attempts, fault, nextAttemptAt } = summary;
  const colour = verdict === 'accepted' ? colors.green : colors.red;
  const what = [...summary.names, ...summary.kinds.filter((kind) => kind !== 'event.emitted')].join(', ');
  const parts = [
    colors.dim(timeOf(at)),
    colour(`${status ?? '—'} ${verdict}`),
    visible(label, 60),
    visible(what, 80),
    colors.dim(`${events} item${events === 1 ? '' : 's'}, ${durationMs} ms`),
    visible(summary.gist),
  ];
  if (attempts > 1) parts.push(`attempt ${attempts}`);
  if (fault) parts.push(colors.yellow(`fault: ${visible(fault, 200)}`));
  if (reason) parts.push(visible(reason, 200));
  if (nextAttemptAt !== undefined) parts.push(`next attempt at ${timeOf(nextAttemptAt)}`);
  return parts.filter((part) => part !== '').join('  ');
}
