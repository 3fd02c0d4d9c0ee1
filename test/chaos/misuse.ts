import type { Effect } from './ledger.js';
import type { Log } from './log.js';
import type { Mode, StoreName } from './modes.js';
import type { Random } from './random.js';

/** How a handler ends the transaction of its store, once in a run for an event. */
export interface Misuse {
  readonly statement: string;
  /** After which part of its effect. */
  readonly after: 1 | 2;
  /** Writes the other part afterwards. */
  readonly writesOn: boolean;
  readonly then: 'throws' | 'returns' | 'dies';
}

/** By the event's id. */
export type Misuses = Readonly<Record<string, Misuse>>;

/** Some leave another transaction open. In MySQL, DDL commits. */
const statements: Partial<Record<StoreName, readonly string[]>> = {
  postgres: ['COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', 'ROLLBACK AND CHAIN'],
  mariadb: ['COMMIT', 'ROLLBACK', 'START TRANSACTION', 'CREATE TABLE IF NOT EXISTS handlers_ddl (id int)'],
  sqlite: ['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN'],
};

function misusesOf(statement: string): Misuse[] {
  return (['throws', 'returns', 'dies'] as const).flatMap((then) => [
    { statement, after: 1, writesOn: false, then },
    { statement, after: 2, writesOn: false, then },
    // Once its transaction has been rolled back, nothing holds the key: another run may begin at once.
    ...(statement.startsWith('ROLLBACK') ? [] : [{ statement, after: 1, writesOn: true, then } as const]),
  ]);
}

/** So many of the events, each with another misuse as far as there are any; fewer where a run has several events. */
export function planMisuses(mode: Mode, ids: readonly string[], count: number, random: Random): Misuses {
  if (!mode.transactional) return {};
  const all = random.shuffle((statements[mode.store] ?? []).flatMap(misusesOf));
  const struck = random.shuffle(ids).slice(0, mode.atOnce ? Math.ceil(count / 2) : count);
  return Object.fromEntries(
    struck.flatMap((id, index) => {
      const misuse = all[index % all.length];
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
