import type { Effect } from '../ledger.js';
import { byProcess, type Log } from '../log.js';
import type { Mode } from '../modes.js';
import type { ChainPlan } from '../plan.js';
import { allHappenings } from './logs.js';

/**
 * Notes where something was handled too early, was handled or dropped by mistake, or was passed over. Counts what the
 * sender lost for ever, and what took effect because it was read from the chain.
 */
export function checkChain(
  { history, lost }: ChainPlan,
  steppedAt: readonly number[],
  effects: readonly Effect[],
  mode: Mode,
  log: Log,
) {
  const { all, finalSince } = allHappenings(history);
  const breaks = (what: string, ids: readonly string[]) => {
    if (ids.length > 0) log.broken.push({ what, ids: [...new Set(ids)] });
  };
  const finalAt = (id: string) => steppedAt[finalSince.get(id) ?? Number.NaN] ?? Number.POSITIVE_INFINITY;
  /** When a block of its number was final, which is another one. */
  const replacedAt = (id: string) => {
    const number = all.get(id)?.mined.number ?? Number.POSITIVE_INFINITY;
    return steppedAt[history.steps.findIndex(({ final }) => final >= number)] ?? Number.POSITIVE_INFINITY;
  };

  const began = [...log.starts, ...effects.map(({ id, at }) => ({ id, at }))];
  const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);
  breaks('was handled as removed, and had never taken effect', ids(began.filter(({ id }) => id.endsWith('-r'))));
  const known = began.filter(({ id }) => !id.endsWith('-r'));
  breaks('was handled, and its block is not of the chain', ids(known.filter(({ id }) => !finalSince.has(id))));
  breaks(
    'was handled before its block was final',
    ids(known.filter(({ id, at }) => finalSince.has(id) && at < finalAt(id))),
  );
  breaks('was dropped, and its block is final', ids(log.dropped.filter(({ id }) => finalSince.has(id))));
  breaks(
    'was dropped before another block was final in its place',
    ids(log.dropped.filter(({ id, at }) => !finalSince.has(id) && at < replacedAt(id))),
  );

  for (const { from, next, retry, settled } of log.cursors) {
    const there = new Set([...retry, ...settled]);
    const passed = [...finalSince.keys()].filter((id) => {
      const { number } = all.get(id)?.mined ?? { number: -1 };
      return number >= from && number < next && !there.has(id);
    });
    breaks(`the cursor passed to block ${next} before it had taken effect`, passed);
  }

  for (const { repaired, stored, answered } of log.reconciled) {
    if (repaired === answered.handled && stored === answered.stored) continue;
    const what = `reconcile reported ${repaired} repaired and ${stored} stored, and its receiver answered ${answered.handled} and ${answered.stored}`;
    log.broken.push({ what, ids: [] });
  }
  const made = effects.filter(({ part, via }) => part === 1 && via === 'reconcile');
  const effective = new Set(made.map(({ id, pid }) => byProcess(id, pid)));
  breaks(
    'was reported as repaired, and did not take effect',
    [...log.madeGood].filter((each) => !effective.has(each)),
  );
  const unreported = made.filter(({ id, pid }) => !log.madeGood.has(byProcess(id, pid)));
  breaks(
    'took effect as repaired, and was not reported',
    ids(unreported.filter((effect) => !wasDisturbed(effect, log))),
  );
  if (!isQueued(mode)) {
    const others = new Set(ids(effects.filter(({ via }) => via === 'delivery')));
    breaks(
      'was never sent, and took effect by a delivery',
      lost.filter((id) => others.has(id)),
    );
  }
  return { lost: lost.length, repaired: made.length, dropped: log.dropped.length, cursors: log.cursors.length };
}

/** Whether what is read from the chain goes through a queue, and then cannot be told from what was delivered. */
export function isQueued({ finality }: Mode): boolean {
  return finality?.reconciledBy === 'receiver';
}

/** How long the store and the receiver may try to find out whether a transaction took effect. */
const KNOWN_MS = 3000;

/** Whether something happened to the process, its transaction or a server, so that it may not have known of its effect. */
function wasDisturbed({ id, pid, at }: Effect, { outages, late, ended, told }: Log): boolean {
  if (late.has(byProcess(id, pid)) || ended.has(id)) return true;
  return outages.some((outage) => {
    // A process tells of all events that it has read together, once the last of them is handled.
    const isAtWork = !told.some((each) => each.pid === pid && each.at >= at && each.at <= outage.from);
    if (outage.kind === 'kill' && outage.pid === pid && outage.from >= at && isAtWork) return true;
    const isConcerned = outage.kind !== 'node' && (outage.pid === undefined || outage.pid === pid);
    return isConcerned && outage.from <= at + KNOWN_MS && outage.to >= at;
  });
}
