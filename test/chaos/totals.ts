import type { FaultKind } from './modes.js';
import { tally } from './report.js';
import type { Outcome } from './scenario.js';

const kinds: readonly FaultKind[] = ['kill', 'pause', 'cut', 'half-open', 'clock', 'sigterm', 'session', 'node'];

/** The sums over all runs, by mode. */
export function totals(outcomes: readonly Outcome[]): string[] {
  const names = [...new Set(outcomes.map(({ name }) => name))];
  return names.map((name) => {
    const runs = outcomes.filter((outcome) => outcome.name === name);
    const sum = (of: (outcome: Outcome) => number) => runs.reduce((total, each) => total + of(each), 0);
    const faults = kinds.map((kind) => {
      return `${sum(({ log }) => log.faults.filter((fault) => fault.kind === kind).length)} ${kind}`;
    });
    const causes = new Set(runs.flatMap(({ counts }) => Object.keys(counts.causes)));
    const explained = [...causes].map((cause) => `${sum(({ counts }) => counts.causes[cause] ?? 0)} by ${cause}`);
    const dropped = ({ outcome }: { outcome: unknown }) => outcome === 'cut' || outcome === 'unread';
    return [
      `total ${name}: ${runs.length} seeds`,
      `${sum(({ plan }) => plan.events.length)} events`,
      `${sum(({ log }) => log.attempts.length)} requests`,
      `${sum(({ log }) => log.attempts.filter(dropped).length)} answers dropped by the sender`,
      `faults: ${faults.join(', ')}`,
      `${sum(({ counts }) => counts.effects)} effects`,
      `${sum(({ counts }) => counts.doubles)} doubles (${[...explained, `${sum(({ counts }) => counts.unexplained)} unexplained`].join(', ')})`,
      `${sum(({ counts }) => counts.missing)} missing`,
      `${sum(({ log }) => log.early.size)} acknowledged too early`,
      `handlers: ${tally(runs.flatMap(({ log }) => log.misuses))}`,
      `${sum(({ log }) => log.settled.length)} settled by hand`,
      `${sum(({ endings }) => endings.refused)} refused while draining`,
      `${sum(({ endings }) => endings.crossed)} crossed the closing`,
      `${sum(({ endings }) => endings.resets)} resets`,
      `${sum(({ endings }) => endings.unfinished)} unfinished`,
      `${sum(({ log }) => log.crashes.length)} crashes`,
      `calm after ${(Math.max(...runs.map(({ calmMs }) => calmMs)) / 1000).toFixed(1)} s at most`,
    ].join(', ');
  });
}
