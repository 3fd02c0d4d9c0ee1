import { monotonicNow } from '../../internal/time.js';
import type { KeptLog, LogStore, OpenLog } from '../log-store.js';
import { type InTime, storableKey } from '../storable.js';
import { DELIVERY, type Step } from '../store.js';
import type { RunStatement } from './database.js';
import type { Durations, Statements, Syntax, Texts } from './dialect.js';
import { inChunks, isOwn, isRowOf, select } from './syntax.js';
import { chunksOf, LOG_MS, literal, literals } from './table.js';

/** With more logs, the CASE expressions of a statement take long. */
const MOST_LOGS = 100;

/** The key under which the pass over a chain has its lease. */
const leaseOf = (chain: string) => storableKey(`reorgs:${chain}`);

/** Logs in the table of the keys. */
export function sqlLogs(
  run: RunStatement,
  statements: Statements,
  { leaseMs, retentionMs }: Durations,
  inTime: InTime,
): LogStore {
  const { syntax } = statements;
  const { key: KEY, rows, at } = syntax;
  /** When each owner took its lease. */
  const led = new Map<string, number>();

  const columns = [KEY, 'chain', 'block_number', 'block_hash', 'transitions'];
  const read = (key: string) =>
    inTime(async () => {
      const condition = `${isRowOf(syntax, key)} AND chain IS NOT NULL`;
      const [row] = await select(run, syntax, [...columns, syntax.select('letter')], () => condition);
      return row && { ...logOf(row)[1], letter: syntax.read(String(row[5])) };
    });

  async function settle(transitions: ReadonlyMap<string, number>): Promise<void> {
    await inChunks(syntax, [...transitions.keys()], async (some) => {
      const counts = new Map(some.map((each) => [each, transitions.get(each) as number]));
      await run(
        `UPDATE ${rows()} SET state = CASE state WHEN 'applied' THEN 'done' ELSE state END, chain = NULL,
           block_number = NULL, block_hash = NULL, letter = NULL, transitions = 0, expires_at = ${syntax.later(retentionMs)}
         WHERE ${isAt(syntax, { transitions: counts })} AND ${syntax.isUnlocked()}`,
      );
      return [];
    });
  }

  return {
    list: ({ chain, numbers, after, limit }) =>
      inTime(async () => {
        const among = numbers ? ` AND block_number IN (${numbers.map(Number).join(', ')})` : '';
        const isAfter = after
          ? ` AND (block_number, ${KEY}) > (${Number(after.blockNumber)}, ${literal(after.key)})`
          : '';
        const isOpen = `expires_at = ${at(LOG_MS)} AND chain = ${literal(chain)} AND state IN ('applied', 'reverted')`;
        const condition = `${isOpen}${among}${isAfter} ORDER BY block_number, ${KEY} LIMIT ${limit}`;
        return new Map((await select(run, syntax, columns, () => condition)).map(logOf));
      }),
    read,
    find: (name) => read(storableKey(name)),
    settle: (transitions) => inTime(() => settle(transitions)),
    async lead(chain, owner) {
      const since = led.get(owner);
      if (since !== undefined && monotonicNow() - since < leaseMs / 2) return true;
      if (since !== undefined) await this.yield(chain, owner);
      const claimed = await inTime(() => statements.claim(run, [leaseOf(chain)], owner, DELIVERY));
      if (claimed.size > 0) led.set(owner, monotonicNow());
      return claimed.size > 0;
    },
    async yield(chain, owner) {
      led.delete(owner);
      await inTime(() => statements.release(run, [leaseOf(chain)], owner));
    },
  };
}

function logOf([key, chain, blockNumber, blockHash, transitions]: readonly unknown[]): [string, OpenLog] {
  const block = { chain: String(chain), blockNumber: Number(blockNumber), blockHash: String(blockHash) };
  return [String(key), { ...block, transitions: Number(transitions) }];
}

/** Condition for the rows that a step from `applied` or `reverted` may have. (Default: from both.) */
export function isAt(
  { prefix, key, at }: Syntax,
  { from, transitions = new Map() }: Pick<Step, 'transitions'> & { readonly from?: Step['from'] },
): string {
  const keys = new Map<number, string[]>();
  for (const [each, count] of transitions) {
    const some = keys.get(count);
    if (some) some.push(each);
    else keys.set(count, [each]);
  }
  const counts = [...keys].map(
    ([count, some]) => `(${prefix}transitions = ${Number(count)} AND ${prefix}${key} IN (${literals(some)}))`,
  );
  const states = from === undefined ? `'applied', 'reverted'` : literal(from);
  return `${prefix}expires_at = ${at(LOG_MS)} AND ${prefix}state IN (${states}) AND (${counts.join(' OR ')})`;
}

/**
 * The statements that record a step of keys that `owner` has: to `applied` or `reverted` for keys with a log, and to
 * `done` for the others.
 */
export function finishing(
  syntax: Syntax,
  keys: readonly string[],
  owner: string,
  step = DELIVERY,
): ((texts: Texts) => string)[] {
  const { rows, now, at, mostKeys } = syntax;
  const isMoved = step.from === 'applied' || step.from === 'reverted';
  const hasLog = (each: string) => isMoved || step.logs?.has(each) === true;
  const want = step.to === 'applied' ? 1 : 0;
  const moved = chunksOf(keys.filter(hasLog), MOST_LOGS).map((some) => (texts: Texts) => {
    const logs = isMoved
      ? ''
      : byKey(syntax, new Map(some.map((each) => [each, step.logs?.get(each) as KeptLog])), texts);
    return `UPDATE ${rows()} SET state = '${step.to}', expires_at = ${at(LOG_MS)}, done_at = ${now()}, attempts = 0,
        first_failed_at = NULL, last_failed_at = NULL,
        transitions = transitions + CASE WHEN transitions % 2 = ${want} THEN 0 ELSE 1 END${logs}
      WHERE ${isOwn(syntax, some, owner, texts)}`;
  });
  const others = keys.filter((each) => !hasLog(each));
  const done = chunksOf(others, mostKeys).map(
    (some) => (texts: Texts) =>
      `UPDATE ${rows()} SET state = 'done', letter = NULL, done_at = ${now()} WHERE ${isOwn(syntax, some, owner, texts)}`,
  );
  return [...moved, ...done];
}

/** Sets the columns of logs by key. */
function byKey({ key }: Syntax, logs: ReadonlyMap<string, KeptLog>, { of }: Texts): string {
  const columns: Record<string, (log: KeptLog) => string> = {
    chain: ({ chain }) => literal(chain),
    block_number: ({ blockNumber }) => String(Number(blockNumber)),
    block_hash: ({ blockHash }) => literal(blockHash),
    letter: ({ letter }) => of(letter),
  };
  const cases = (value: (log: KeptLog) => string) =>
    [...logs].map(([each, log]) => `WHEN ${literal(each)} THEN ${value(log)}`).join(' ');
  return Object.entries(columns)
    .map(([column, value]) => `, ${column} = CASE ${key} ${cases(value)} END`)
    .join('');
}
