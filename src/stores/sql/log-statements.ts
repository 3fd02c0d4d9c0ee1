import type { KeptLog, LogStore, OpenLog } from '../log-store.js';
import { DELIVERY, type Failed, type Failure, type Step } from '../store.js';
import type { RunStatement } from './database.js';
import { chunksOf, LOG_MS, literal, literals, NEVER_MS } from './table.js';

/** Parts of the statements for logs that differ between dialects. */
export interface LogParts {
  table(): string;
  /** The column of the key, and a text as an expression. */
  readonly key: string;
  text(value: string): string;
  /** A text column as it is selected, and the text of its value. */
  select(column: string): string;
  read(value: string): string;
  /** A time in epoch ms as a value of `expires_at`, and the expiry of a key that takes effect now. */
  at(ms: number): string;
  retained(): string;
  /** The present, how many ms have passed since a time, and a time in epoch ms. */
  now(): string;
  sinceMs(column: string): string;
  ms(column: string): string;
  /** Condition that no transaction has the key. (Default: true.) */
  isUnlocked?(): string;
}

/** Statements for logs. Like {@link LogStore}, with keys in stored form. */
export interface LogStatements {
  list(run: RunStatement, page: Parameters<LogStore['list']>[0]): Promise<ReadonlyMap<string, OpenLog>>;
  read(run: RunStatement, key: string): Promise<(KeptLog & OpenLog) | undefined>;
  settle(run: RunStatement, transitions: ReadonlyMap<string, number>): Promise<void>;
  /** Counts a failure of a log at `failure.transitions`, like {@link LetterStatements.fail}. */
  fail(run: RunStatement, key: string, failure: Failure): Promise<Failed | undefined>;
  /** Condition for the rows that a step from `applied` or `reverted` may have. */
  isAt(step: Pick<Step, 'transitions'> & { readonly from?: Step['from'] }, of?: string): string;
  /**
   * The statements that record a step to `applied` or `reverted`, for keys with a log that `owner` has, and the keys
   * without a log.
   */
  finish(
    keys: readonly string[],
    owner: string,
    step: Step | undefined,
  ): { texts: string[]; others: readonly string[] };
}

/** With more logs, the CASE expressions of a statement take long. */
const MOST_LOGS = 100;

export function logStatements(parts: LogParts): LogStatements {
  const { table, key, text, select, read, at, retained, now, sinceMs, ms } = parts;
  const { isUnlocked = () => 'TRUE' } = parts;
  const open = `expires_at = ${at(LOG_MS)}`;
  const columns = `${key}, chain, block_number, block_hash, transitions`;

  function isAt(
    { from, transitions = new Map() }: Pick<Step, 'transitions'> & { readonly from?: Step['from'] },
    of = '',
  ): string {
    const keys = new Map<number, string[]>();
    for (const [each, count] of transitions) {
      const some = keys.get(count);
      if (some) some.push(each);
      else keys.set(count, [each]);
    }
    const counts = [...keys].map(
      ([count, some]) => `(${of}transitions = ${Number(count)} AND ${of}${key} IN (${literals(some)}))`,
    );
    const states = from === undefined ? `'applied', 'reverted'` : literal(from);
    return `${of}${open} AND ${of}state IN (${states}) AND (${counts.join(' OR ')})`;
  }

  /** Sets columns by key. */
  function byKey(logs: ReadonlyMap<string, KeptLog>): string {
    const columns: Record<string, (log: KeptLog) => string> = {
      chain: ({ chain }) => literal(chain),
      block_number: ({ blockNumber }) => String(Number(blockNumber)),
      block_hash: ({ blockHash }) => literal(blockHash),
      letter: ({ letter }) => text(letter),
    };
    const cases = (value: (log: KeptLog) => string) =>
      [...logs].map(([each, log]) => `WHEN ${literal(each)} THEN ${value(log)}`).join(' ');
    return Object.entries(columns)
      .map(([column, value]) => `, ${column} = CASE ${key} ${cases(value)} END`)
      .join('');
  }

  return {
    isAt,
    async list(run, { chain, numbers, after, limit }) {
      const among = numbers ? ` AND block_number IN (${numbers.map(Number).join(', ')})` : '';
      const isAfter = after
        ? ` AND (block_number, ${key}) > (${Number(after.blockNumber)}, ${literal(after.key)})`
        : '';
      const { rows } = await run(
        `SELECT ${columns} FROM ${table()} WHERE ${open} AND chain = ${literal(chain)} AND state IN ('applied', 'reverted')
           ${among}${isAfter} ORDER BY block_number, ${key} LIMIT ${limit}`,
      );
      return new Map(rows.map((row) => logOf(Object.values(row))));
    },
    async read(run, each) {
      const { rows } = await run(
        `SELECT ${columns}, ${select('letter')} FROM ${table()} WHERE ${key} = ${literal(each)} AND chain IS NOT NULL`,
      );
      const [row] = rows.map((found) => Object.values(found));
      return row && { ...logOf(row)[1], letter: read(row[5]) };
    },
    async settle(run, transitions) {
      for (const chunk of chunksOf([...transitions.keys()])) {
        const some = new Map(chunk.map((each) => [each, transitions.get(each) as number]));
        await run(
          `UPDATE ${table()} SET state = CASE state WHEN 'applied' THEN 'done' ELSE state END, chain = NULL,
             block_number = NULL, block_hash = NULL, letter = NULL, transitions = 0, expires_at = ${retained()}
           WHERE ${isAt({ transitions: some })} AND ${isUnlocked()}`,
        );
      }
    },
    async fail(run, each, { code, message, letter, afterAttempts, afterMs, transitions = 0 }) {
      const isDue = `attempts + 1 >= ${Number(afterAttempts)} AND COALESCE(${sinceMs('first_failed_at')}, 0) >= ${Number(afterMs)}`;
      const whenDue = (column: string, value: string) =>
        `${column} = CASE WHEN ${isDue} THEN ${value} ELSE ${column} END`;
      const owner = crypto.randomUUID();
      // In MySQL, each assignment sees the earlier ones.
      await run(
        `UPDATE ${table()} SET ${whenDue('state', `'dead'`)}, ${whenDue('expires_at', at(NEVER_MS))}, ${whenDue('letter', text(letter))},
           error_code = ${text(code)}, error_message = ${text(message)}, owner = ${literal(owner)}, last_failed_at = ${now()},
           first_failed_at = COALESCE(first_failed_at, ${now()}), attempts = attempts + 1
         WHERE ${isAt({ transitions: new Map([[each, transitions]]) })} AND ${isUnlocked()}`,
      );
      const { rows } = await run(
        `SELECT attempts, ${ms('first_failed_at')} AS first_ms, state FROM ${table()} WHERE ${key} = ${literal(each)} AND owner = ${literal(owner)}`,
      );
      const [row] = rows.map((found) => Object.values(found));
      return row && { attempts: Number(row[0]), firstFailedAt: Number(row[1]), isDead: row[2] === 'dead' };
    },
    finish(keys, owner, { from, to, logs } = DELIVERY) {
      const isMoved = from === 'applied' || from === 'reverted';
      const hasLog = (each: string) => isMoved || logs?.has(each) === true;
      const moved = keys.filter(hasLog);
      const want = to === 'applied' ? 1 : 0;
      const texts = chunksOf(moved, MOST_LOGS).map((chunk) => {
        const own = isMoved ? '' : byKey(new Map(chunk.map((each) => [each, logs?.get(each) as KeptLog])));
        return `UPDATE ${table()} SET state = '${to}', expires_at = ${at(LOG_MS)}, done_at = ${now()}, attempts = 0, first_failed_at = NULL,
            last_failed_at = NULL, transitions = transitions + CASE WHEN transitions % 2 = ${want} THEN 0 ELSE 1 END${own}
          WHERE ${key} IN (${literals(chunk)}) AND owner = ${literal(owner)}`;
      });
      return { texts, others: keys.filter((each) => !hasLog(each)) };
    },
  };
}

function logOf([key, chain, blockNumber, blockHash, transitions]: readonly unknown[]): [string, OpenLog] {
  const block = { chain: String(chain), blockNumber: Number(blockNumber), blockHash: String(blockHash) };
  return [String(key), { ...block, transitions: Number(transitions) }];
}
