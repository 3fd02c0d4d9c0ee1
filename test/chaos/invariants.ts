import type { Effect } from './ledger.js';
import { type Death, type Log, lateBy } from './log.js';

/** What was counted at the end. */
export interface Counts {
  readonly effects: number;
  /** Effects beyond the first of their event. */
  readonly doubles: number;
  /** Doubles whose first run was reported to be late, instead of a death: a machine that is too slow for the lease. */
  readonly late: number;
  /** Doubles with neither. */
  readonly unexplained: number;
  readonly missing: number;
}

/** Clocks are read before and after what they are read for. */
const SLACK_MS = 50;

/** Counts the effects of the events that were sent, and notes which invariants are broken. */
export function checkEffects(
  ids: readonly string[],
  effects: readonly Effect[],
  isTransactional: boolean,
  log: Log,
): Counts {
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
  const twice = ids.filter((id) => firstParts(id).length > 1);
  const pairs = twice.flatMap((id) => {
    const runs = firstParts(id);
    return runs.slice(1).map((second, index) => ({ id, first: runs[index], second }));
  });
  const isForgotten = ({ id, second }: (typeof pairs)[number]) =>
    second.at > (log.recorded.get(id) ?? Number.POSITIVE_INFINITY);
  const forgotten = pairs.filter(isForgotten);
  const undying = pairs.filter(({ first, second }) => !first || !isExplained(first, second, log.deaths));
  const unexplained = undying.filter(({ id, first }) => !log.late.has(lateBy(id, first?.pid)));
  const missing = ids.filter((id) => firstParts(id).length === 0);

  breaks('never took effect', missing);
  breaks('took effect, and was never sent', foreign);
  if (isTransactional) {
    const halves = ids.filter((id) => firstParts(id).length * 2 !== byId.get(id)?.length);
    breaks('took effect in part', halves);
    breaks('took effect twice', twice);
  } else {
    breaks(
      'took effect again after the store had recorded it',
      forgotten.map(({ id }) => id),
    );
    const unexplainedIds = unexplained.map(({ id }) => id);
    breaks('took effect twice with no cause', unexplainedIds);
  }
  const counted = ids.reduce((sum, id) => sum + firstParts(id).length, 0);
  return {
    effects: counted,
    doubles: pairs.length,
    late: undying.length - unexplained.length,
    unexplained: unexplained.length,
    missing: missing.length,
  };
}

/** Whether the first run's process died, or a server, after the first effect and before the second. */
function isExplained(first: Effect, second: Effect, deaths: readonly Death[]): boolean {
  return deaths.some(
    ({ pid, from, to }) =>
      (pid === undefined || pid === first.pid) && to + SLACK_MS >= first.at && from - SLACK_MS <= second.at,
  );
}
