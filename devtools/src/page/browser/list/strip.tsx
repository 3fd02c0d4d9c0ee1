import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { clock, counted, day } from '../shared/format.js';
import { verdicts } from '../shared/verdict.js';
import type { Entry } from '../store.js';
import type { Verdict } from '../types.js';

/** Lengths of a bar in seconds; the first that needs at most so many bars is used. */
const STEPS = [5, 10, 30, 60, 120, 300, 900, 1800, 3600, 10_800, 21_600, 86_400, 604_800, 2_592_000, 31_536_000];
const MOST_BARS = 120;
const LEAST_MS = 300_000;
const HEIGHT = 40;

/** The deliveries of a time range, by verdict. */
export interface Bar {
  /** Start of the range, Unix milliseconds. */
  readonly at: number;
  readonly counts: Record<Verdict, number>;
  readonly sum: number;
}

/**
 * Deliveries by verdict from the oldest to now, at least the last five minutes, in equal steps. A step begins at a whole
 * multiple of its length, so that a bar changes only by deliveries.
 *
 * @param now Unix milliseconds
 */
export function barsOf(entries: readonly Entry[], now: number): { bars: Bar[]; stepMs: number } {
  const oldest = entries.reduce((least, { summary }) => Math.min(least, summary.at), now - LEAST_MS);
  const seconds = STEPS.find((step) => (now - oldest) / 1000 / step < MOST_BARS - 1) ?? (STEPS.at(-1) as number);
  const stepMs = seconds * 1000;
  const from = Math.floor(oldest / stepMs) * stepMs;
  const length = Math.min(MOST_BARS, Math.floor((now - from) / stepMs) + 1);
  const bars = Array.from({ length }, (_, index) => ({
    at: from + index * stepMs,
    counts: { accepted: 0, refused: 0, failed: 0, pending: 0 },
    sum: 0,
  }));
  for (const { summary } of entries) {
    const bar = bars[Math.floor((summary.at - from) / stepMs)];
    if (!bar) continue;
    bar.counts[summary.verdict]++;
    bar.sum++;
  }
  return { bars, stepMs };
}

/** One path for all bars of a verdict. A unit of the drawing is a bar wide and a pixel high. */
function pathOf(bars: readonly Bar[], verdict: Verdict, most: number): string {
  let path = '';
  for (const [index, { counts }] of bars.entries()) {
    if (counts[verdict] === 0) continue;
    const below = verdicts.slice(0, verdicts.indexOf(verdict)).reduce((sum, each) => sum + counts[each], 0);
    // Keeps a single delivery among thousands visible.
    const height = Math.max(2, (counts[verdict] / most) * HEIGHT);
    const top = Math.max(0, HEIGHT - (below / most) * HEIGHT - height);
    path += `M${index + 0.1} ${top.toFixed(1)}h.8v${height.toFixed(1)}h-.8z`;
  }
  return path;
}

/**
 * When deliveries came, by verdict. Dragging over it, or its arrow keys, show only a range of time: ← → move it, Shift
 * widens it, Escape ends it.
 */
export function Strip({ session }: { session: Session }) {
  const { store, clock: time, filters } = session;
  const strip = useRef<HTMLDivElement>(null);
  const dragged = useSignal<number | undefined>(undefined);
  const { bars, stepMs } = barsOf(store.all(), time.value);
  const start = (bars[0] as Bar).at;
  const most = Math.max(4, ...bars.map(({ sum }) => sum));
  const { span } = filters.value;
  const clamp = (index: number) => Math.max(0, Math.min(bars.length - 1, index));
  const [first, last] = span
    ? [clamp(Math.floor((span.from - start) / stepMs)), clamp(Math.ceil((span.to - start) / stepMs) - 1)]
    : [bars.length, bars.length - 1];

  /** Shows only the deliveries of these bars, in either order. */
  function show(one: number, other: number): void {
    const [from, to] = [clamp(Math.min(one, other)), clamp(Math.max(one, other))];
    filters.value = { ...filters.value, span: { from: start + from * stepMs, to: start + (to + 1) * stepMs } };
  }
  const end = () => {
    filters.value = { ...filters.value, span: undefined };
  };
  function barAt({ clientX }: PointerEvent): number {
    const { left, width } = (strip.current as HTMLElement).getBoundingClientRect();
    return clamp(Math.floor(((clientX - left) / width) * bars.length));
  }
  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape' && span) end();
    else if (by === undefined) return;
    else if (!span) show(bars.length - 1, bars.length - 1);
    else if (event.shiftKey) show(by < 0 ? first - 1 : first, by < 0 ? last : last + 1);
    else show(first + by, first + by + last - first);
    event.preventDefault();
    event.stopPropagation();
  }

  const sums = bars.slice(span ? first : 0, last + 1);
  const said = verdicts.map((verdict) => `${sums.reduce((sum, { counts }) => sum + counts[verdict], 0)} ${verdict}`);
  const range = span ? `${day(span.from)} to ${clock(span.to)}` : 'All times';
  const widest = counted(most, 'delivery', 'deliveries');
  return (
    <div
      id="strip"
      ref={strip}
      role="slider"
      tabIndex={0}
      aria-label="Time range"
      aria-valuemin={0}
      aria-valuemax={bars.length - 1}
      aria-valuenow={clamp(first)}
      aria-valuetext={`${range}: ${said.join(', ')}`}
      title={`Drag to show a range of time. A full bar is ${widest} in ${stepMs / 1000} s.`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        strip.current?.setPointerCapture(event.pointerId);
        dragged.value = barAt(event);
        show(dragged.value, dragged.value);
      }}
      onPointerMove={(event) => dragged.value !== undefined && show(dragged.value, barAt(event))}
      onPointerUp={() => {
        dragged.value = undefined;
      }}
      onDblClick={end}
    >
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {verdicts.map((verdict) => (
          <path key={verdict} class={`fill ${verdict}`} d={pathOf(bars, verdict, most)} />
        ))}
        {span && <rect class="brush" x={first} y={0} width={last - first + 1} height={HEIGHT} />}
      </svg>
      <span aria-hidden="true">{day(start)}</span>
      <span aria-hidden="true">now</span>
    </div>
  );
}
