import { Component } from 'preact';
import { counted, day, moment } from '../shared/format.js';
import { line } from '../shared/text.js';
import { meanings } from '../shared/verdict.js';
import type { Line } from '../view.js';
import { causeOf, listed, subjectOf, triesOf } from './sentence.js';

interface RowProps {
  readonly line: Line;
  /** The first of them, which changes when it does. */
  readonly summary: Line['entry']['summary'];
  readonly folded: number;
  readonly isOpened: boolean;
  /** From the top of the list. */
  readonly index: number;
  readonly y: number;
  readonly selected: boolean;
  readonly active: boolean;
  readonly picked: boolean;
  /** Whether rows differ in where they go. */
  readonly showsTarget: boolean;
  /** The time of the server where the row shows a countdown, 0 elsewhere. */
  readonly now: number;
}

/** A delivery in the list, as a sentence. Drawn again only when one of its properties has changed. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((key) => key !== 'line' && next[key] !== this.props[key]);
  }

  override render(props: RowProps) {
    const { summary, line: row, folded, isOpened, index, y, selected, active, picked, showsTarget, now } = props;
    const { id, verdict, status, at, gist, target, label, fault, recorded, removed, contracts, names, bytes } = summary;
    const cause = causeOf(summary);
    const said = cause?.text ?? line(gist);
    const about = [meanings[verdict], said, listed(contracts), ...names.slice(0, 20).map(line), `${bytes} bytes`];
    return (
      <div
        id={`row-${row.entry.seq}`}
        class={`row ${verdict}${active ? ' active' : ''}${picked ? ' picked' : ''}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={selected}
        data-seq={row.entry.seq}
        style={{ transform: `translateY(${y}px)` }}
      >
        <div class="cell pick" role="gridcell">
          <input type="checkbox" tabIndex={-1} checked={picked} aria-label={`Select delivery ${line(id)}`} />
        </div>
        <div class="cell number" role="gridcell">
          <bdi>#{line(id)}</bdi>
        </div>
        <div class="cell what" role="gridcell" title={about.filter(Boolean).join('\n')}>
          <span class="unseen">{verdict} </span>
          <bdi class="name">{subjectOf(summary)}</bdi> <bdi class={cause ? 'cause' : 'gist'}>{said}</bdi>
          {(folded > 1 || isOpened) && (
            <button
              type="button"
              class="fold"
              tabIndex={-1}
              aria-expanded={isOpened}
              title={isOpened ? 'Fold these deliveries (←)' : `Show ${counted(folded, 'delivery', 'deliveries')} (→)`}
            >
              × {folded}
            </button>
          )}
          {fault && <span class="tag refused">{line(fault)}</span>}
          {removed && <span class="tag">removed by a re-org</span>}
          {recorded && <span class="tag">recorded</span>}
        </div>
        <div class="cell target" role="gridcell" title={line(target)}>
          {showsTarget && <bdi>{line(label || target)}</bdi>}
        </div>
        <div class="cell tries" role="gridcell">
          {triesOf(summary, now)}
        </div>
        <div class="cell status" role="gridcell">
          {status}
        </div>
        <div class="cell time" role="gridcell" title={moment(at)}>
          {day(at)}
        </div>
      </div>
    );
  }
}

/** The headings of the columns, which only assistive technology needs. */
export const headings = ['Selected', 'Number', 'Delivery', 'To', 'Tries', 'Status', 'Time'];
