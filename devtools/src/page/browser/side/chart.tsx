import { useState } from 'preact/hooks';
import type { Session } from '../session.js';
import { clock, counted, grouped } from '../shared/format.js';
import { VerdictIcon, verdicts } from '../shared/verdict.js';
import type { Verdict } from '../types.js';
import { type Bucket, buckets, STEP_MS, sumOf, totals } from './buckets.js';

const WIDTH = 240;
const HEIGHT = 72;
const MINUTE_MS = 60_000;

/** The rounded top of the scale. */
function scaleFor(most: number): number {
  let step = 1;
  while (step * 5 < most) step *= 10;
  return [1, 2, 5].map((factor) => factor * step).find((value) => value >= most) as number;
}

/** A pattern that distinguishes bars without colour. */
const Pattern = ({ verdict, d }: { verdict: Verdict; d: string }) => (
  <pattern id={`hatch-${verdict}`} width={4} height={4} patternUnits="userSpaceOnUse">
    <rect class={`fill ${verdict}`} width={4} height={4} />
    <path class="hatch" d={d} />
  </pattern>
);

/** `HH:MM:SS` */
const second = (at: number) => clock(at).slice(0, 8);
const words = (count: number) => counted(count, 'delivery', 'deliveries');

/** Shows only the deliveries of a time range in the list. */
function show({ filters }: Session, at: number, length: number): void {
  filters.value = { ...filters.value, span: { from: at, to: at + length } };
}

interface StepProps {
  readonly session: Session;
  readonly step: Bucket;
  readonly index: number;
  readonly width: number;
  /** What the full height is. */
  readonly most: number;
}

/** The bar of one step. The whole column can be clicked. */
function Step({ session, step: { at, counts }, index, width, most }: StepProps) {
  const span = session.filters.value.span;
  const isChosen = span !== undefined && at >= span.from && at < span.to;
  const sum = sumOf(counts);
  let y = HEIGHT;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table has buttons for the keyboard.
    <g class={isChosen ? 'step chosen' : 'step'} onClick={sum > 0 ? () => show(session, at, STEP_MS) : undefined}>
      <rect class={sum > 0 ? 'column full' : 'column'} x={index * width} y={0} width={width} height={HEIGHT}>
        {sum > 0 && <title>{`${words(sum)} from ${second(at)} to ${second(at + STEP_MS)}: click to filter`}</title>}
      </rect>
      {verdicts.map((verdict) => {
        const height = (counts[verdict] / most) * HEIGHT;
        y -= height;
        if (height === 0) return null;
        return (
          <rect
            key={verdict}
            class={`bar ${verdict}`}
            x={index * width + 0.5}
            y={y}
            width={width - 1}
            height={height}
          />
        );
      })}
    </g>
  );
}

/** The same data by minute, for screen readers and the keyboard. */
function Minutes({ session, steps }: { session: Session; steps: readonly Bucket[] }) {
  return (
    <table class="minutes">
      <thead>
        <tr>
          {['Minute', ...verdicts].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map(({ at, counts }) => {
          const minute = clock(at).slice(0, 5);
          return (
            <tr key={at}>
              <th scope="row">
                {sumOf(counts) === 0 ? (
                  minute
                ) : (
                  <button
                    type="button"
                    class="quiet"
                    title={`Show only the deliveries of ${minute}`}
                    onClick={() => show(session, at, MINUTE_MS)}
                  >
                    {minute}
                  </button>
                )}
              </th>
              {verdicts.map((verdict) => (
                <td key={verdict}>{grouped(counts[verdict])}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Deliveries by verdict over the last five minutes: bars that filter the list, the sums in words, and a table. */
export function Chart({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const { store, version, clock: time } = session;
  void version.value;
  const now = time.value;
  const steps = buckets(store.all(), now);
  const most = scaleFor(Math.max(4, ...steps.map(({ counts }) => sumOf(counts))));
  const sum = totals(steps);
  const label = verdicts.map((verdict) => `${sum[verdict]} ${verdict}`).join(', ');
  return (
    <section class="card">
      <h2>Last 5 minutes</h2>
      <svg
        viewBox={`0 -13 ${WIDTH} ${HEIGHT + 27}`}
        role="img"
        class="chart"
        aria-label={`Deliveries of the last 5 minutes: ${label}.`}
      >
        <defs>
          <Pattern verdict="refused" d="M0 4 4 0" />
          <Pattern verdict="failed" d="M0 0 4 4M0 4 4 0" />
        </defs>
        <path class="grid" d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}.5H${WIDTH}`} />
        {steps.map((step, index) => (
          <Step key={step.at} session={session} step={step} index={index} width={WIDTH / steps.length} most={most} />
        ))}
        <path class="base" d={`M0 ${HEIGHT}.5H${WIDTH}`} />
        <text class="axis" x={0} y={HEIGHT + 12}>
          5 min ago
        </text>
        <text class="axis" x={WIDTH} y={HEIGHT + 12} text-anchor="end">
          now
        </text>
        <text class="axis" x={WIDTH} y={-4} text-anchor="end">
          {`${grouped(most)} in ${STEP_MS / 1000} s`}
        </text>
      </svg>
      <ul class="legend">
        {verdicts.map((verdict) => (
          <li key={verdict} class={verdict}>
            <VerdictIcon verdict={verdict} />
            <span>{verdict}</span>
            <span class="sum">{grouped(sum[verdict])}</span>
          </li>
        ))}
      </ul>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>As a table</summary>
        {isOpen && <Minutes session={session} steps={buckets(store.all(), now, MINUTE_MS)} />}
      </details>
    </section>
  );
}
