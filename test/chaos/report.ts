import type { Counts } from './invariants.js';
import { isAcknowledged } from './log.js';
import type { Outcome } from './scenario.js';

/** How a run is played again. */
export function replayCommand({ name, settings: { seed, events, spreadMs, kills } }: Outcome): string {
  return `npm run chaos -- --mode ${name} --seed ${seed} --events ${events} --kills ${kills} --spread ${spreadMs}`;
}

export function hasPassed({ log }: Outcome): boolean {
  return log.broken.length === 0;
}

export function killCount({ log }: Outcome): number {
  return Object.values(log.kills).reduce((sum, count) => sum + count, 0);
}

/** A run in one line. */
export function summary(outcome: Outcome): string {
  const { name, settings, plan, log, counts, deadLetters, seconds } = outcome;
  const doubles = counts.doubles === 0 ? '0 doubles' : causes(counts);
  return [
    `${hasPassed(outcome) ? 'pass' : 'FAIL'}  ${name} seed ${settings.seed}: ${plan.events.length} events`,
    `${plan.deliveries.length} deliveries`,
    `${log.attempts.length} requests (${tally(log.attempts.map(({ outcome }) => String(outcome)))})`,
    `kills ${tally(words(log.kills))}`,
    `${counts.effects} effects, ${doubles}, ${counts.missing} missing`,
    ...(deadLetters > 0 ? [`${deadLetters} dead letters`] : []),
    ...(log.crashes.length > 0 ? [`${log.crashes.length} crashes`] : []),
    `${seconds.toFixed(1)} s`,
  ].join(', ');
}

function causes({ doubles, late, unexplained }: Pick<Counts, 'doubles' | 'late' | 'unexplained'>): string {
  return `${doubles} doubles (${doubles - late - unexplained} by a death, ${late} too late for the lease, ${unexplained} unexplained)`;
}

/** Each word as often as it was counted. */
function words(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([word, count]) => Array<string>(count).fill(word));
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} ×${count}`).join(' ') || 'none';
}

const MOST_EVENTS = 5;

/** What was broken, how to play it again, and what happened to the events that it is about. */
export function failure(outcome: Outcome): string {
  const { log } = outcome;
  const ids = [...new Set(log.broken.flatMap((broken) => broken.ids))];
  return [
    ...log.broken.map((broken) => `  ${broken.what}${broken.ids.length > 0 ? ` (${broken.ids.length} events)` : ''}`),
    `  receivers reported: ${tally(words(log.codes))}`,
    `  again: ${replayCommand(outcome)}`,
    ...ids.slice(0, MOST_EVENTS).flatMap((id) => history(id, outcome)),
    ...(ids.length > MOST_EVENTS ? [`  and ${ids.length - MOST_EVENTS} more events`] : []),
  ].join('\n');
}

/** All that is known of one event, in the order of time. */
function history(id: string, { log, effects }: Outcome): string[] {
  const sends = log.attempts.filter(({ delivery }) => delivery.ids.includes(id));
  const start = Math.min(...log.attempts.map(({ from }) => from));
  const at = (time: number) => `${String(Math.round(time - start)).padStart(8)} ms`;
  const lines = [
    ...sends.map((attempt) => ({
      time: attempt.from,
      text: `${attempt.delivery.name} to receiver ${attempt.receiver}: ${attempt.outcome} at ${Math.round(attempt.to - start)} ms${isAcknowledged(attempt) ? ', acknowledged' : ''}`,
    })),
    ...effects
      .filter((effect) => effect.id === id)
      .map(({ at, part, pid }) => ({ time: at, text: `effect, part ${part}, by process ${pid}` })),
    ...log.deaths.map(({ victim, pid, from, to }) => ({
      time: from,
      text: `death of ${victim}${pid === undefined ? `, back after ${Math.round(to - from)} ms` : `, process ${pid}`}`,
    })),
  ];
  return [`  event ${id}`, ...lines.sort((a, b) => a.time - b.time).map(({ time, text }) => `  ${at(time)}  ${text}`)];
}

/** The sums over all runs, by mode. */
export function totals(outcomes: readonly Outcome[]): string[] {
  const names = [...new Set(outcomes.map(({ name }) => name))];
  return names.map((name) => {
    const runs = outcomes.filter((outcome) => outcome.name === name);
    const sum = (of: (outcome: Outcome) => number) => runs.reduce((total, each) => total + of(each), 0);
    const victims = runs.flatMap(({ log }) => words(log.kills));
    return [
      `total ${name}: ${runs.length} seeds`,
      `${sum(({ plan }) => plan.events.length)} events`,
      `${sum(({ log }) => log.attempts.length)} requests`,
      `${sum(killCount)} kills (${tally(victims)})`,
      `${sum(({ counts }) => counts.effects)} effects`,
      causes({
        doubles: sum(({ counts }) => counts.doubles),
        late: sum(({ counts }) => counts.late),
        unexplained: sum(({ counts }) => counts.unexplained),
      }),
      `${sum(({ counts }) => counts.missing)} missing`,
    ].join(', ');
  });
}
