import type { Effect } from './ledger.js';
import type { Log } from './log.js';
import type { Mode, StoreName } from './modes.js';
import type { Random } from './random.js';

/** What a handler does wrong, once in a run for an event. */
export type Misuse = EndedByHandler | Overrun | Unawaited;

/** It ends the transaction of its store. */
export interface EndedByHandler {
  readonly statement: string;
  /** After which part of its effect. */
  readonly after: 1 | 2;
  /** Writes the other part afterwards. */
  readonly writesOn: boolean;
  readonly then: 'throws' | 'returns' | 'dies';
}

/** It takes longer than its time limit, and then writes the rest of its effect: nothing of it may be kept. */
export interface Overrun {
  /** It waits, has the server wait, or blocks its process. */
  readonly overrun: 'idle' | 'in a statement' | 'blocking';
  /** For how many times its limit. */
  readonly times: number;
}

/** It writes its effect and returns, while statements that it does not await fail: the last in itself, or by a deadlock. */
export interface Unawaited {
  readonly unawaited: 'failure' | 'deadlock';
  /** It sends the last when those before it were answered: perhaps between what the store asks last, and the commit. */
  readonly isLater: boolean;
}

/** By the event's id. */
export type Misuses = Readonly<Record<string, Misuse>>;

/** Some leave another transaction open. In MySQL, DDL commits. */
const statements: Partial<Record<StoreName, readonly string[]>> = {
  postgres: ['COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', 'ROLLBACK AND CHAIN'],
  mariadb: ['COMMIT', 'ROLLBACK', 'START TRANSACTION', 'CREATE TABLE IF NOT EXISTS handlers_ddl (id int)'],
  sqlite: ['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN'],
};

function endingsOf(statement: string): Misuse[] {
  return (['throws', 'returns', 'dies'] as const).flatMap((then) => [
    { statement, after: 1, writesOn: false, then },
    { statement, after: 2, writesOn: false, then },
    // Once its transaction has been rolled back, nothing holds the key: another run may begin at once.
    ...(statement.startsWith('ROLLBACK') ? [] : [{ statement, after: 1, writesOn: true, then } as const]),
  ]);
}

const others: readonly Misuse[] = [
  ...(['idle', 'in a statement', 'blocking'] as const).map((overrun) => ({
    overrun,
    times: overrun === 'blocking' ? 1.5 : 2.5,
  })),
  ...(['failure', 'deadlock'] as const).flatMap((unawaited) => [
    { unawaited, isLater: false },
    { unawaited, isLater: true },
  ]),
];

/** What a misuse counts as. */
export function nameOf(misuse: Misuse): string {
  if ('then' in misuse) return 'ended its transaction';
  return 'overrun' in misuse
    ? `was late, ${misuse.overrun}`
    : `did not await a ${misuse.isLater ? 'later ' : ''}${misuse.unawaited}`;
}

/**
 * So many of the events, each with another misuse as far as there are any: ended transactions and others in turn. Fewer
 * where a run has several events.
 */
export function planMisuses(mode: Mode, ids: readonly string[], count: number, random: Random): Misuses {
  // A transaction that a handler ended is settled by hand, or becomes a dead letter: one at a time.
  if (!mode.transactional || mode.letters) return {};
  const endings = random.shuffle((statements[mode.store] ?? []).flatMap(endingsOf));
  // A synchronous run is over in one turn: nothing can be late or unawaited.
  const turns = mode.store === 'sqlite' ? [endings] : [endings, random.shuffle(others)];
  const struck = random.shuffle(ids).slice(0, mode.atOnce ? Math.ceil(count / 2) : count);
  return Object.fromEntries(
    struck.flatMap((id, index) => {
      const all = turns[index % turns.length] ?? [];
      const misuse = all[Math.floor(index / turns.length) % all.length];
      return misuse ? [[id, misuse]] : [];
    }),
  );
}

/** Notes whose handler ran again though its key was open. */
export function checkMisuses(effects: readonly Pick<Effect, 'id' | 'pid' | 'claimed'>[], log: Log): void {
  const again = [...log.ended].filter(([id, { pid, claimed, at }]) => {
    const settled = log.settled.find((each) => each.id === id && each.at > at);
    const isKept = effects.some((effect) => effect.id === id && effect.pid === pid && effect.claimed === claimed);
    if (!isKept && !settled?.parts) return false;
    const until = settled?.at ?? Number.POSITIVE_INFINITY;
    return log.starts.some((start) => start.id === id && start.at > at && start.at < until);
  });
  if (again.length === 0) return;
  log.broken.push({ what: 'ran again after a handler had ended its transaction', ids: again.map(([id]) => id) });
}

/** Notes whose handler wrote after its time limit, and had it kept. */
export function checkOverruns(effects: readonly Pick<Effect, 'id' | 'pid' | 'claimed'>[], log: Log): void {
  const kept = effects.filter(({ id, pid, claimed }) =>
    log.overruns.some((run) => run.pid === pid && run.claimed === claimed && run.ids.includes(id)),
  );
  if (kept.length === 0) return;
  log.broken.push({
    what: 'took effect after the time limit of its handler',
    ids: [...new Set(kept.map(({ id }) => id))],
  });
}
