import type { Effect } from './ledger.js';
import { byProcess, type Log, type Outage } from './log.js';
import { LEASE_MS, type Mode } from './modes.js';

/** Two effects of one event, one after the other. */
interface Pair {
  readonly id: string;
  readonly first: Effect;
  readonly second: Effect;
}

/** Clocks are read before and after what they are read for. */
const SLACK_MS = 50;

/** Counts the effects of the events that were sent, and notes which invariants are broken. */
export function checkEffects(ids: readonly string[], effects: readonly Effect[], mode: Mode, log: Log) {
  const byId = new Map<string, Effect[]>(ids.map((id) => [id, []]));
  const foreign: string[] = [];
  for (const effect of effects) {
    const same = byId.get(effect.id);
    if (same === undefined) foreign.push(effect.id);
    else same.push(effect);
  }
  const breaks = (what: string, broken: readonly string[]) => {
    if (broken.length > 0) log.broken.push({ what, ids: broken });
  };
  const firstParts = (id: string) => (byId.get(id) ?? []).filter(({ part }) => part === 1);
  const pairs = ids.flatMap((id) => pairsOf(id, firstParts(id)));
  const parts = mode.transactional ? 2 : 1;
  const missing = ids.filter((id) => firstParts(id).length === 0);
  const causes = pairs.map((pair) => causeOf(pair, mode, log));

  breaks('never took effect', missing);
  breaks('took effect, and was never sent', foreign);
  if (mode.transactional) {
    breaks(
      'took effect in part',
      ids.filter((id) => firstParts(id).length * 2 !== byId.get(id)?.length),
    );
    breaks('took effect twice', [...new Set(pairs.map(({ id }) => id))]);
  } else {
    const forgotten = pairs.filter((pair, index) => causes[index] !== FROZEN && isForgotten(pair, log));
    breaks(
      'took effect again after the store had recorded it',
      forgotten.map(({ id }) => id),
    );
    const unexplained = pairs.filter((_, index) => causes[index] === undefined);
    breaks(
      'took effect twice with no cause',
      unexplained.map(({ id }) => id),
    );
    breaks('began when its lease was over', startedLate(log));
    breaks('was let through by throwIfExpired when its lease was over', letThrough(effects));
  }
  return {
    effects: ids.reduce((sum, id) => sum + firstParts(id).length, 0),
    /** Effects beyond the first of their event, and what explains them. */
    doubles: pairs.length,
    causes: Object.fromEntries([...new Set(causes)].flatMap((cause) => (cause ? [[cause, count(causes, cause)]] : []))),
    unexplained: count(causes, undefined),
    /** Events that have not taken effect, or only in part. */
    missing: ids.filter((id) => new Set(byId.get(id)?.map(({ part }) => part)).size < parts).length,
  };
}

function count<T>(all: readonly T[], one: T): number {
  return all.filter((each) => each === one).length;
}

function pairsOf(id: string, [first, ...rest]: readonly Effect[]): Pair[] {
  const [second] = rest;
  return first && second ? [{ id, first, second }, ...pairsOf(id, rest)] : [];
}

/** The store had recorded the first, and this could be known, before the second took effect. */
function isForgotten({ id, second }: Pair, { recorded }: Log): boolean {
  return second.at > (recorded.get(id) ?? Number.POSITIVE_INFINITY);
}

const FROZEN = 'frozen between check and effect';

/** Why an event whose key is held by a lease took effect twice; undefined when nothing explains it. */
function causeOf({ id, first, second }: Pair, mode: Mode, log: Log): string | undefined {
  const between = log.outages.filter(({ from, to }) => to + SLACK_MS >= first.at && from - SLACK_MS <= second.at);
  if (wasFrozen(first, log.outages) || wasFrozen(second, log.outages)) return FROZEN;
  // Until its lease is over nobody takes over from a process, whatever happened to it.
  if (second.at + SLACK_MS >= first.claimed + LEASE_MS) {
    const own = between.filter(({ pid }) => pid === first.pid).map(({ kind }) => kind);
    const cause = (['kill', 'pause', 'half-open', 'cut', 'session'] as const).find((kind) => own.includes(kind));
    if (cause !== undefined) return cause;
    if (log.late.has(byProcess(id, first.pid))) return 'too late for the lease';
  }
  // A server that dies takes with it whether it did what it was asked last.
  if (between.some(({ kind, pid }) => kind === 'kill' && pid === undefined)) return 'death of a server';
  // The step may end a lease between the two claims, long before the first effect.
  const claimed = Math.min(first.claimed, second.claimed);
  const steps = log.outages.filter(({ kind, from, to }) => kind === 'clock' && to >= claimed && from <= second.at);
  if (mode.sharesClock && steps.length > 0) return 'clock step';
  return undefined;
}

/** Whether its process was stopped after it had looked at the clock, and before the effect. */
function wasFrozen({ pid, checked, at }: Effect, outages: readonly Outage[]): boolean {
  const pauses = outages.filter((outage) => outage.kind === 'pause' && outage.pid === pid);
  return pauses.some(({ from, to }) => to >= checked && from <= at + SLACK_MS);
}

/**
 * Whether a turn in which a handler was started began when the lease was over. What is frozen, or has its clock stepped,
 * within that turn can only be noticed by `throwIfExpired`.
 */
function startedLate({ starts, outages }: Log): string[] {
  const steps = outages.filter(({ kind }) => kind === 'clock');
  const late = starts.filter(({ claimed, asked, turn, at, wallMs }) => {
    // Frozen while it asked: its lease may have begun before or after that.
    if (asked - claimed > SLACK_MS) return false;
    const wasStepped = steps.some(({ from, to }) => to >= turn && from <= at);
    return turn - claimed >= LEASE_MS || (!wasStepped && wallMs - (at - turn) >= LEASE_MS);
  });
  return late.map(({ id }) => id);
}

function letThrough(effects: readonly Effect[]): string[] {
  return effects.filter(({ checked, claimed }) => checked - claimed >= LEASE_MS).map(({ id }) => id);
}
