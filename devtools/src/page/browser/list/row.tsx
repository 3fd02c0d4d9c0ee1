import { Component } from 'preact';
import { shortened } from '../shared/copy.js';
import { bytes, clock, counted, duration, grouped, momentWithZone, until } from '../shared/format.js';
import { line } from '../shared/text.js';
import { VerdictIcon } from '../shared/verdict.js';
import type { Summary } from '../types.js';

/** The columns of a row: class and heading. */
export const columns = [
  ['verdict', 'Verdict'],
  ['time', 'Time'],
  ['status', 'Status'],
  ['names', 'Events'],
  ['gist', 'What'],
  ['contract', 'Contract'],
  ['target', 'To'],
  ['count', 'Count'],
  ['size', 'Size'],
  ['took', 'Took'],
  ['attempts', 'Attempts'],
] as const;

/** Limit of listed names; others are only counted. */
const MOST_NAMES = 4;

function listed(names: readonly string[]): string {
  const first = names.slice(0, MOST_NAMES).map(line).join(', ');
  return names.length > MOST_NAMES ? `${first} and ${names.length - MOST_NAMES} more` : first;
}

function attemptsOf({ attempts, nextAttemptAt }: Summary, now: number): string {
  const tries = attempts > 1 ? counted(attempts, 'try', 'tries') : '';
  if (nextAttemptAt === undefined) return tries;
  return `${tries ? `${tries}, ` : ''}again ${until(nextAttemptAt, now)}`;
}

interface RowProps {
  readonly seq: number;
  readonly summary: Summary;
  /** From the top of the list. */
  readonly index: number;
  readonly y: number;
  readonly selected: boolean;
  readonly active: boolean;
  /** The time of the server where the row shows a countdown, 0 elsewhere. */
  readonly now: number;
}

/** A delivery in the list. Drawn again only when one of its properties has changed. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((key) => next[key] !== this.props[key]);
  }

  override render({ seq, summary, index, y, selected, active, now }: RowProps) {
    const { verdict, names, kinds, contracts, gist, target, label, durationMs, fault, recorded } = summary;
    const tries = attemptsOf(summary, now);
    return (
      <div
        id={`row-${seq}`}
        class={`row${active ? ' active' : ''}${gist ? ' has-gist' : ''}${tries ? ' has-attempts' : ''}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={selected}
        data-seq={seq}
        style={{ transform: `translateY(${y}px)` }}
      >
        <div class="cell verdict" role="gridcell">
          <span class={`verdict ${verdict}`}>
            <VerdictIcon verdict={verdict} />
            {verdict}
          </span>
        </div>
        <div class="cell time" role="gridcell" title={momentWithZone(summary.at)}>
          {clock(summary.at)}
        </div>
        <div class="cell status" role="gridcell" title={summary.code && line(summary.code)}>
          {summary.status}
        </div>
        <div
          class="cell names"
          role="gridcell"
          title={[listed(kinds), ...names.slice(0, 20).map(line)].filter(Boolean).join('\n')}
        >
          <bdi>{listed(names) || listed(kinds) || 'no events'}</bdi>
          {fault && <span class="fault">{line(fault)}</span>}
          {recorded && <span class="tag">recorded</span>}
        </div>
        <div class="cell gist" role="gridcell" title={gist && line(gist)}>
          <bdi>{gist && line(gist)}</bdi>
        </div>
        <div class="cell contract" role="gridcell" title={listed(contracts)}>
          <bdi>{listed(contracts.map(shortened))}</bdi>
        </div>
        <div class="cell target" role="gridcell" title={line(target)}>
          <bdi>{line(label || target)}</bdi>
        </div>
        <div class="cell count" role="gridcell">
          {grouped(summary.events)}
        </div>
        <div class="cell size" role="gridcell">
          {bytes(summary.bytes)}
        </div>
        <div class="cell took" role="gridcell">
          {durationMs !== undefined && duration(durationMs)}
        </div>
        <div class="cell attempts" role="gridcell">
          {tries}
        </div>
      </div>
    );
  }
}
