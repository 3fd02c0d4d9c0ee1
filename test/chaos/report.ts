import type { Mined } from '../simulation/models/chain/block.js';
import type { History } from './chain/history.js';
import { happeningsOf } from './chain/logs.js';
import { isAcknowledged } from './log.js';
import type { Outcome } from './scenario.js';

/** How a run is played again. */
function replayCommand({ name, settings: { seed, events, spreadMs, kills, faults, misuses } }: Outcome): string {
  return `npm run chaos -- --mode ${name} --seed ${seed} --events ${events} --kills ${kills} --faults ${faults} --misuses ${misuses} --spread ${spreadMs}`;
}

export function hasPassed({ log }: Outcome): boolean {
  return log.broken.length === 0;
}

/** A run in one line. */
export function summary(outcome: Outcome): string {
  const { name, settings, plan, log, counts, chain, endings, deadLetters, calmMs, seconds } = outcome;
  return [
    `${hasPassed(outcome) ? 'pass' : 'FAIL'}  ${name} seed ${settings.seed}: ${plan.events.length} events`,
    `${plan.deliveries.length} deliveries`,
    `${log.attempts.length} requests (${tally(log.attempts.map(({ outcome }) => String(outcome)))})`,
    tally(log.faults.map(({ kind, victim }) => (kind === 'kill' ? `kill of ${victim}` : kind))),
    `at ${tally(log.faults.map(({ step }) => step))}`,
    `${counts.effects} effects, ${doublesText(counts)}, ${counts.missing} missing, ${log.early.size} acknowledged too early`,
    ...(log.misuses.length > 0 ? [`handlers: ${tally(log.misuses)}, ${log.settled.length} settled by hand`] : []),
    ...(chain ? [chainText(chain)] : []),
    `${endings.refused} refused while draining, ${endings.crossed} crossed the closing`,
    ...(deadLetters > 0 ? [`${deadLetters} dead letters`] : []),
    ...(log.crashes.length > 0 ? [`${log.crashes.length} crashes`] : []),
    `calm after ${(calmMs / 1000).toFixed(1)} s`,
    `${seconds.toFixed(1)} s`,
  ].join(', ');
}

function chainText({ lost, repaired, dropped, cursors }: NonNullable<Outcome['chain']>): string {
  return `${lost} lost, ${repaired} repaired, ${dropped} dropped, ${cursors} moves of the cursor`;
}

function doublesText({ doubles, causes, unexplained }: Outcome['counts']): string {
  if (doubles === 0) return '0 doubles';
  const known = Object.entries(causes).map(([cause, count]) => `${count} by ${cause}`);
  return `${doubles} doubles (${[...known, `${unexplained} unexplained`].join(', ')})`;
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} ×${count}`).join(' ') || 'none';
}

const MOST_EVENTS = 5;
const MOST_BROKEN = 20;

/** What was broken, how to play it again, and what happened to the events that it is about. */
export function failure(outcome: Outcome): string {
  const { log } = outcome;
  const ids = [...new Set(log.broken.flatMap((broken) => broken.ids))];
  return [
    ...log.broken
      .slice(0, MOST_BROKEN)
      .map((broken) => `  ${broken.what}${broken.ids.length > 0 ? ` (${broken.ids.length} events)` : ''}`),
    `  receivers reported: ${tally(Object.entries(log.codes).flatMap(([code, count]) => Array<string>(count).fill(code)))}`,
    `  again: ${replayCommand(outcome)}`,
    ...ids.slice(0, MOST_EVENTS).flatMap((id) => history(id, outcome)),
    ...(ids.length > MOST_EVENTS ? [`  and ${ids.length - MOST_EVENTS} more events`] : []),
  ].join('\n');
}

/** What became of the block of an event. */
function chainLines(id: string, { steps }: History, steppedAt: readonly number[]) {
  return steps.flatMap(({ kind, added, removed, final, chain }, index) => {
    const isOf = (blocks: readonly Mined[]) =>
      blocks.some((block) => happeningsOf(block).some((each) => id.startsWith(each.id)));
    const time = steppedAt[index] ?? Number.POSITIVE_INFINITY;
    if (!isOf(added) && !isOf(removed)) return [];
    const what = isOf(added) ? 'of the chain' : 'removed';
    return [{ time, text: `step ${index}, ${kind}: its block is ${what}; head ${chain.length - 1}, final ${final}` }];
  });
}

/** All that is known of one event, in the order of time. */
function history(id: string, { log, effects, plan, steppedAt }: Outcome): string[] {
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
      .map(({ at: time, part, pid, claimed, checked }) => ({
        time,
        text: `effect, part ${part}, by process ${pid}, claimed at ${at(claimed)}, checked at ${at(checked)}`,
      })),
    ...log.outages.map(({ kind, victim, pid, from, to }) => ({
      time: from,
      text: `${kind} of ${victim}${pid === undefined ? '' : `, process ${pid}`}${to > from ? `, for ${Math.round(to - from)} ms` : ''}`,
    })),
    ...(plan.chain ? chainLines(id, plan.chain.history, steppedAt) : []),
    ...log.dropped.filter((drop) => drop.id === id).map(({ at: time }) => ({ time, text: 'dropped' })),
    ...[...log.ended]
      .filter(([ended]) => ended === id)
      .map(([, { at: time, pid }]) => ({ time, text: `process ${pid} ends its transaction` })),
    ...log.settled
      .filter((settled) => settled.id === id)
      .map(({ at: time, parts }) => ({ time, text: `settled by hand, with ${parts} parts of its effect` })),
    ...log.starts.filter((start) => start.id === id).map(({ at: time }) => ({ time, text: 'a handler begins' })),
    ...[...log.endings].map(([pid, { draining, closing }]) => ({
      time: draining,
      text: `process ${pid} drains${closing === undefined ? '' : `, and closes at ${at(closing)}`}`,
    })),
  ];
  return [`  event ${id}`, ...lines.sort((a, b) => a.time - b.time).map(({ time, text }) => `  ${at(time)}  ${text}`)];
}
