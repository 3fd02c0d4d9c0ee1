import type { Failure } from './play.js';

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

/** Plays one seed again. */
export function seedCommand(world: string, seed: number, defect?: string): string {
  const withDefect = defect === undefined ? '' : ` --defect ${JSON.stringify(defect)}`;
  return `npm run simulate -- --world ${world} --seed ${seed} --seeds 1${withDefect}`;
}
