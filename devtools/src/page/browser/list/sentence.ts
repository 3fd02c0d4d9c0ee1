import { counted, statusLine, until } from '../shared/format.js';
import { line } from '../shared/text.js';
import { shortened } from '../shared/value.js';
import type { Summary } from '../types.js';

/** Limit of listed names; others are only counted. */
const MOST_NAMES = 3;

export function listed(names: readonly string[]): string {
  const first = names
    .slice(0, MOST_NAMES)
    .map((name) => shortened(line(name)))
    .join(', ');
  return names.length > MOST_NAMES ? `${first} and ${names.length - MOST_NAMES} more` : first;
}

/** Why a delivery was not accepted. Rows with the same key are folded. */
export interface Cause {
  readonly text: string;
  readonly key: string;
}

const known = new WeakMap<Summary, Cause | undefined>();

/** Why a delivery was not accepted, as far as it is known; undefined for accepted and pending ones. */
export function causeOf(summary: Summary): Cause | undefined {
  if (!known.has(summary)) known.set(summary, read(summary));
  return known.get(summary);
}

function read({ verdict, cause, status, code, label, target, fault, recorded }: Summary): Cause | undefined {
  if (cause === undefined && (verdict === 'accepted' || verdict === 'pending')) return undefined;
  const answer = status === undefined ? `no response${code ? ` (${line(code)})` : ''}` : statusLine(status);
  const key = [verdict, cause?.id ?? answer, label ?? target, fault, recorded].join('\n');
  return { text: cause ? line(cause.text) : answer, key };
}

/** What a delivery contains: names of its events, or their kinds. */
export const subjectOf = ({ names, kinds, unread, events }: Summary) =>
  listed(names) || listed(kinds) || (unread ? 'not read' : events === 0 ? 'no events' : counted(events, 'item'));

/** The number of tries, or when the next one is due. @param now Unix milliseconds of the server */
export function triesOf({ attempts, nextAttemptAt }: Summary, now: number): string {
  if (nextAttemptAt !== undefined) return `try ${attempts + 1} ${until(nextAttemptAt, now)}`;
  return attempts > 1 ? counted(attempts, 'try', 'tries') : '';
}
