import type { Failed, Failure } from '../store.js';
import { type RunStatement, valuesOf } from './database.js';
import { codesOf, type Durations, keysOf, type LetterStatements } from './dialect.js';
import { hexOf, lettersOf, textOf } from './letter-texts.js';
import { IS_IDLE, IS_OVER, later, lockOf, type MysqlTable, NOW, ownedBy, text, unlessLocked } from './mysql-table.js';
import { literal, literals, NEVER_MS } from './table.js';

/** In hex, because the character set of the connection may differ. */
const COLUMNS =
  '`key`, attempts, first_failed_at, last_failed_at, HEX(error_code), HEX(error_message), HEX(letter), HEX(source), IF(chain IS NULL, NULL, transitions)';

/** How often counting a failure is retried because another failure was counted meanwhile. */
const MOST_TRIES = 20;

type Read = Readonly<Record<'owner' | 'state', string>>;

export function mysqlLetters(table: MysqlTable, { retentionMs }: Durations): LetterStatements {
  const retained = later(retentionMs);

  async function select(run: RunStatement, condition: string, rest = '') {
    const text = `SELECT ${COLUMNS} FROM ${table.quoted} WHERE state = 'dead' AND ${condition} ${rest}`;
    return lettersOf(await run(text), textOf);
  }

  /** The committed row of a key, and whether its lock is free. */
  async function read(run: RunStatement, key: string) {
    const told = await run(`SELECT ${NOW}, IS_FREE_LOCK(${lockOf(table, `_ascii${literal(key)}`)})`);
    const [now, isFree] = told.rows.map(valuesOf)[0] as [string, string];
    const { rows } = await run(
      `SELECT owner, state, (${IS_OVER}) OR (${IS_IDLE}), attempts, COALESCE(first_failed_at, 0), COALESCE(last_failed_at, 0)
       FROM ${table.quoted} WHERE \`key\` = ${literal(key)} ${unlessLocked(table)}`,
    );
    const [found] = rows.map(valuesOf) as [string, string, string, string, string, string][];
    const row = found && {
      owner: found[0],
      state: found[1],
      isOver: found[2] === '1',
      attempts: Number(found[3]),
      firstFailedAt: Number(found[4]),
      lastFailedAt: Number(found[5]),
    };
    return { now: Number(now), isFree: isFree === '1', row };
  }

  /**
   * Writes a row unless it has changed since it was read: every other write changes the owner or the state. Not every
   * client counts rows, so a changed row is made an error: a subquery with more than one row. The first assignment sees
   * the old row.
   */
  async function write(
    run: RunStatement,
    key: string,
    row: Read | undefined,
    columns: Record<string, unknown>,
  ): Promise<boolean> {
    const isAsRead = row ? `owner = X'${hexOf(row.owner)}' AND state = X'${hexOf(row.state)}'` : 'FALSE';
    const others = Object.keys(columns).filter((name) => name !== 'attempts');
    try {
      await run(
        `INSERT INTO ${table.quoted} (\`key\`, ${Object.keys(columns).join(', ')})
         VALUES (${literal(key)}, ${Object.values(columns).join(', ')})
         ON DUPLICATE KEY UPDATE attempts = IF(${isAsRead}, VALUES(attempts), (SELECT 1 UNION SELECT 2)),
           ${others.map((name) => `${name} = VALUES(${name})`).join(', ')}`,
      );
      return true;
    } catch (error) {
      if (codesOf(error).includes('1242')) return false;
      throw error;
    }
  }

  /** Selects keys without waiting for other transactions. */
  const unlocked = async (run: RunStatement, condition: string) =>
    keysOf(await run(`SELECT \`key\` FROM ${table.quoted} WHERE ${condition} ${unlessLocked(table)}`));

  return {
    async fail(run, key, failure) {
      const { isUnknown, afterAttempts, afterMs } = failure;
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const { now, isFree, row } = await read(run, key);
        if (isUnknown ? row?.state !== 'open' : !isFree || (row && !row.isOver)) return undefined;
        const counts = row && (row.state === 'dead' || now - row.lastFailedAt < retentionMs);
        const attempts = counts ? row.attempts + 1 : 1;
        const firstFailedAt = counts ? row.firstFailedAt : now;
        const isDue = attempts >= afterAttempts && now - firstFailedAt >= afterMs;
        const failed = { attempts, firstFailedAt, isDead: isUnknown || row?.state === 'dead' || isDue };
        if (await write(run, key, row, columnsOf(failure, failed, now))) return failed;
      }
      return undefined;
    },
    look: (run, keys) => select(run, `\`key\` IN (${literals(keys)})`),
    list(run, { source, after, limit }) {
      const isOf = source === undefined ? '' : ` AND source = ${text(source)} COLLATE utf8mb4_bin`;
      const isAfter = after === undefined ? '' : ` AND \`key\` > ${literal(after)}`;
      return select(run, `expires_at = ${NEVER_MS}${isOf}${isAfter}`, `ORDER BY \`key\` LIMIT ${limit}`);
    },
    async discard(run, keys) {
      const isFree = `${IS_IDLE} AND IS_FREE_LOCK(${lockOf(table, '`key`')})`;
      const idle = (await unlocked(run, `\`key\` IN (${literals(keys)}) AND ${isFree}`)).sort();
      if (idle.length === 0) return new Set();
      const owner = crypto.randomUUID();
      await run(
        `UPDATE ${table.quoted} SET owner = ${literal(owner)}, expires_at = ${retained}, letter = NULL, chain = NULL, transitions = 0, state = 'done'
         WHERE \`key\` IN (${literals(idle)}) AND ${IS_IDLE}`,
      );
      return new Set(keysOf(await run(ownedBy(table, idle, owner, 'done'))));
    },
  };
}

/** The columns of a failed row as expressions. */
function columnsOf(failure: Failure, failed: Failed, now: number): Record<string, unknown> {
  const { source, code, message, letter, via, kind, eventId, receivedAt } = failure;
  const { attempts, firstFailedAt, isDead } = failed;
  return {
    attempts,
    owner: literal(crypto.randomUUID()),
    state: isDead ? "'dead'" : "'failed'",
    expires_at: isDead ? NEVER_MS : now,
    first_failed_at: firstFailedAt,
    last_failed_at: now,
    source: source === undefined ? 'NULL' : text(source),
    error_code: text(code),
    error_message: text(message),
    done_at: 'NULL',
    ...(kind !== undefined && {
      via: via === undefined ? 'NULL' : text(via),
      kind: text(kind),
      event_id: text(eventId ?? ''),
      received_at: receivedAt ?? 'NULL',
    }),
    letter: isDead ? text(letter) : 'NULL',
    retry_until: 'NULL',
  };
}
