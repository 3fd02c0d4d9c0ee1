import type { Failure } from './play.js';
import type { WorldTotals } from './search.js';

/** A failing schedule, as a person reads it. */
export interface Reported {
  readonly world: string;
  /** Undefined for a schedule that was replayed. */
  readonly seed?: number | undefined;
  readonly failure: Failure;
  /** How many choices the schedule made, and how many are left of it. */
  readonly choices?: { readonly found: number; readonly left: number } | undefined;
  /** How to play it again. */
  readonly command: string;
}

/** The invariant, the schedule one line an entry, and the command that replays it. */
export function failureText({ world, seed, failure, choices, command }: Reported): string {
  const of = seed === undefined ? '' : ` · seed ${seed}`;
  const shrunk = choices ? `, shrunk from ${choices.found} choices to ${choices.left}` : '';
  const history = failure.history.length === 0 ? [] : [`  history${shrunk}:`, ...failure.history.map(indented)];
  return [
    `VIOLATION ${failure.invariant} · world ${world}${of}`,
    ...failure.what.split('\n').map((line) => `  ${line}`),
    ...history,
    `  replay: ${command}`,
  ].join('\n');
}

function indented(line: string): string {
  return `    ${line}`;
}

/** One line a world, with what a thread plays in a second. */
export function totalsText(worlds: ReadonlyMap<string, WorldTotals>): string {
  const width = Math.max(...[...worlds.keys()].map((name) => name.length));
  return [...worlds]
    .map(([name, { played, steps, ms }]) => {
      const perSecond = ms > 0 ? `${whole((played / ms) * 1000)}/s a thread` : '';
      const each = played > 0 ? `${(steps / played).toFixed(0)} steps each` : '';
      return `  ${name.padEnd(width)}  ${whole(played).padStart(12)} schedules  ${each.padStart(14)}  ${perSecond}`;
    })
    .join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
