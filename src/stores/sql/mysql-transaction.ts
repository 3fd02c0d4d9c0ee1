import { monotonicNow } from '../../internal/deadline.js';
import { type RunStatement, valuesOf } from './database.js';
import { type Claimed, type Durations, keysOf, type Syntax, type TransactionStatements } from './dialect.js';
import { codesOf, isConflict } from './errors.js';
import { finishing, isAt } from './logs.js';
import {
  columnsOf,
  IS_IDLE,
  IS_OVER,
  insertInto,
  later,
  lockOf,
  type MysqlTable,
  NOW,
  ownedText,
  REFUSE,
  text,
  unlessLocked,
  type Written,
} from './mysql-table.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { ownedBy, send } from './syntax.js';
import { chunksOf, literal, literals } from './table.js';

/** States of a found row: free, or not free because a run has the key or nothing may run. */
const [OVER, TAKEN] = [1, 2];
/** The types of the columns of records. */
const TYPES = [...Array(4).fill('VARCHAR(200) CHARACTER SET utf8mb4'), 'BIGINT'];
/** Savepoint that marks the transaction. Any statement that ends the transaction also removes it. */
const MARK = 'event_webhook_receiver';
/** How often a store looks for transactions of frozen processes, in ms. */
const TAKEOVER_EVERY_MS = 1000;

/**
 * INSERT waits for a key that another transaction has inserted. So transactions hold a named lock for each key, which
 * can be requested without waiting. Exactly-once depends on the primary key, not on the locks. The locks stay with the
 * connection until its next transaction or its end: nothing waits for them, and a committed key needs no lock.
 */
export function mysqlTransaction(
  table: MysqlTable,
  syntax: Syntax,
  { leaseMs, retentionMs }: Durations,
): TransactionStatements {
  const retained = later(retentionMs);
  const lockOfKey = (key: string) => lockOf(table, `_ascii${literal(key)}`);
  let lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * Claims all keys or none: requests each lock just before its row is inserted, so that a key held elsewhere is
   * skipped without waiting. A duplicate locks the gap before its row until the rollback.
   */
  async function claimAll(run: RunStatement, keys: readonly string[], written: Written, id: string): Promise<boolean> {
    const { owner, state, expires, records } = written;
    const names = RECORD_COLUMNS.map((name, at) => `${name} ${TYPES[at]} PATH '$[${at + 1}]'`);
    const [columns, paths] = records ? [`, ${RECORD_COLUMNS.join(', ')}`, `, ${names.join(', ')}`] : ['', ''];
    let inserted = 0;
    try {
      for (const chunk of chunksOf(keys)) {
        // Releases the locks of an earlier transaction before the first lock.
        const first = inserted === 0 ? `IF(j.n = 1, RELEASE_ALL_LOCKS() + GET_LOCK('${id}', 0), 1)` : '1';
        const rows = chunk.map((key) => [key, ...(records ? recordValues(records.get(key)) : [])]);
        const { changed = 0 } = await run(
          `INSERT INTO ${table.quoted} (\`key\`, owner, state, expires_at, claimed_at${columns})
           SELECT j.k, ${literal(owner)}, '${state}', ${expires}, ${NOW}${columns}
           FROM JSON_TABLE(${text(JSON.stringify(rows))}, '$[*]' COLUMNS (n FOR ORDINALITY, k VARCHAR(200) CHARACTER SET ascii PATH '$[0]'${paths})) AS j
           WHERE IF(${first}, GET_LOCK(${lockOf(table, 'j.k')}, 0), 0)`,
        );
        if (changed < chunk.length) break;
        inserted += changed;
      }
    } catch (error) {
      if (!codesOf(error).includes('1062')) throw error;
    }
    if (inserted === keys.length) return true;
    // Keeps the isolation level.
    await run('ROLLBACK AND CHAIN');
    return false;
  }

  /** Requests the locks. The same round trip also reads the existing rows, unless reading them could wait. */
  async function ask(run: RunStatement, keys: readonly string[], first: string) {
    const found = table.skipsLocked ? '' : `UNION ALL ${expiryOf(keys, plain('`key`'))}`;
    const locks = keys.map((key) => `GET_LOCK(${lockOfKey(key)}, 0)`).join(', ');
    // As a number, the time is cheaper to insert with each key.
    const head = `CONCAT_WS('|', ${retained}, ${first})`;
    const { rows } = await run(`SELECT ${plain(head)} AS name, CONCAT(${locks}) AS value ${found}`);
    const [[told, answers], ...known] = rows.map(valuesOf) as [[string, string], ...[string, string][]];
    const expires = BigInt(told.split('|')[0] as string);
    return {
      times: { expires, claimed: expires - BigInt(Math.ceil(retentionMs)) },
      locked: keys.filter((_, index) => answers[index] === '1'),
      found: founds(known),
    };
  }

  const expiryOf = (keys: readonly string[], column = '`key`') =>
    `SELECT ${column}, CASE WHEN ${IS_OVER} THEN ${OVER} WHEN state = 'done' THEN 0 ELSE ${TAKEN} END FROM ${table.quoted}
     WHERE \`key\` IN (${literals(keys)}) ${unlessLocked(table)}`;
  const founds = (rows: readonly [string, string][]) => new Map(rows.map(([key, value]) => [key, Number(value)]));

  async function insert(run: RunStatement, keys: readonly string[], written: Written): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const { changed } = await run(insertInto(table, keys, written, ' IGNORE'));
    return changed === keys.length ? keys : keysOf(await run(ownedText(table, keys, written.owner)));
  }

  /** Claims expired keys, or dead letters, under the locks of their rows. */
  async function renew(
    run: RunStatement,
    over: readonly string[],
    written: Written,
    condition = IS_OVER,
  ): Promise<string[]> {
    if (over.length === 0) return [];
    const keys = keysOf(
      await run(
        `SELECT \`key\` FROM ${table.quoted} FORCE INDEX (PRIMARY)
         WHERE \`key\` IN (${literals(over)}) AND ${condition} FOR UPDATE SKIP LOCKED`,
      ),
    );
    if (keys.length === 0) return [];
    const set = columnsOf(written).map((column) => `${column} = VALUES(${column})`);
    await run(`${insertInto(table, keys, written)} ON DUPLICATE KEY UPDATE ${set.join(', ')}, done_at = NULL`);
    return keys;
  }

  async function claimSome(
    run: RunStatement,
    keys: readonly string[],
    written: Written,
    first: string,
  ): Promise<Set<string>> {
    const { times, locked, ...before } = await ask(run, keys, first);
    // A duplicate would lock the gap before its row, so that other transactions wait to insert there.
    const absent = locked.filter((key) => !before.found.has(key));
    const claimed = new Set(await insert(run, absent, { ...written, ...times }));
    const others = keys.filter((key) => !claimed.has(key));
    if (others.length === 0) return claimed;
    const found = table.skipsLocked
      ? founds((await run(expiryOf(others))).rows.map(valuesOf) as [string, string][])
      : before.found;
    const over = others.filter((each) => found.get(each) === OVER);
    for (const key of await renew(run, over, written)) claimed.add(key);
    const taken = others.filter((each) => found.get(each) === TAKEN);
    await unlock(run, taken);
    await takeOver(
      run,
      others.filter((key) => !found.has(key)),
    );
    return claimed;
  }

  /** Claims dead letters, or logs. */
  const renewSome =
    (condition: string) =>
    async (run: RunStatement, keys: readonly string[], written: Written, first: string): Promise<Set<string>> => {
      const { times, locked } = await ask(run, keys, first);
      const claimed = new Set(await renew(run, locked, { ...written, ...times }, condition));
      await unlock(
        run,
        locked.filter((key) => !claimed.has(key)),
      );
      return claimed;
    };

  /** Releases the locks of keys that are neither done nor claimed, which their other runs and failures need. */
  async function unlock(run: RunStatement, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await run(`DO ${keys.map((key) => `RELEASE_LOCK(${lockOfKey(key)})`).join(', ')}`);
  }

  /**
   * Closes the connections of other transactions that have been idle for longer than a lease, because their processes
   * are frozen. A user may see and close its own connections.
   */
  async function takeOver(run: RunStatement, keys: readonly string[]): Promise<void> {
    if (keys.length === 0 || monotonicNow() - lookedAt < Math.min(TAKEOVER_EVERY_MS, leaseMs)) return;
    lookedAt = monotonicNow();
    const used = await run(keys.map((key) => `SELECT IS_USED_LOCK(${lockOfKey(key)})`).join(' UNION '));
    const holders = new Set(keysOf(used));
    const { rows } = await run('SHOW PROCESSLIST');
    for (const [id, , , , command, seconds] of rows.map(valuesOf) as [string, ...string[]][]) {
      const isFrozen = command === 'Sleep' && Number(seconds) * 1000 >= leaseMs;
      if (isFrozen && holders.has(id)) await run(`KILL ${Number(id)}`);
    }
  }

  async function kill(run: RunStatement, { id }: Claimed, what: 'CONNECTION' | 'QUERY'): Promise<void> {
    const [holder] = keysOf(await run(`SELECT IS_USED_LOCK('${id}')`));
    if (holder !== undefined && /^\d+$/.test(holder)) await run(`KILL ${what} ${holder}`);
  }

  async function check(run: RunStatement): Promise<void> {
    await run(`RELEASE SAVEPOINT ${MARK}`).catch(async (error: unknown) => {
      if (!codesOf(error).includes('1305')) throw error;
      // LOCK TABLES, for example, would outlive the transaction.
      await run('KILL CONNECTION_ID()').catch(ignore);
      throw endedError(error);
    });
  }

  return {
    /**
     * Marks the transaction. Turns autocommit off, because otherwise the server would commit each statement that a
     * handler sends after an ignored deadlock.
     */
    async claim(run, keys, owner, step) {
      const { from, records } = step;
      const id = `ewr:${owner}`;
      const claimSomeOf = from === 'free' ? claimSome : renewSome(from === 'dead' ? IS_IDLE : isAt(syntax, step));
      const open: Written = { owner, state: 'open', expires: retained, claimed: NOW, records };
      const claimed: string[] = [];
      if (from === 'free' && (await claimAll(run, keys, open, id))) claimed.push(...keys);
      else {
        let first = `RELEASE_ALL_LOCKS(), GET_LOCK('${id}', 0)`;
        for (const chunk of chunksOf(keys)) {
          claimed.push(...(await claimSomeOf(run, chunk, open, first)));
          first = `''`;
        }
      }
      if (claimed.length > 0) await Promise.all([run(`SAVEPOINT ${MARK}`), run('SET autocommit = 0')]);
      return { keys: claimed, owner, id };
    },
    check,
    async finish(run, { keys, owner, step }) {
      await check(run);
      for (const write of finishing(syntax, keys, owner, step)) await send(run, syntax, write);
    },
    conflictsEnd: true,
    isRollback: (error) => isConflict(error) || codesOf(error).some((code) => ROLLBACKS.has(code)),
    look: async (run, { keys, owner }) => (await ownedBy(run, syntax, keys.slice(0, 1), owner)).size > 0,
    async leaveOpen(run, { keys, owner, step }) {
      const isLog = step?.transitions ? ` OR (${isAt(syntax, step)})` : '';
      for (const chunk of chunksOf(keys)) {
        await run(
          `UPDATE ${table.quoted} SET owner = ${literal(owner)}, expires_at = ${retained}, state = 'open'
           WHERE \`key\` IN (${literals(chunk)}) AND ((${IS_OVER}) OR (${IS_IDLE})${isLog})`,
        );
        await insert(run, chunk, { owner, state: 'open', expires: retained, claimed: NOW, records: step?.records });
      }
    },
    /**
     * Commits by turning autocommit on, and checks the rows in the same statement: a statement that the handler did not
     * await may have caused a deadlock after the first check. If the check fails, the statement
     * fails, because its subquery returns two rows.
     */
    async end(run, { keys, owner, step }) {
      const chunks = chunksOf(keys).map(
        (chunk) =>
          `(${ownedText(table, chunk, owner).replace('`key`, abandoned + 0', 'COUNT(*)')} AND state <> 'open')`,
      );
      // A log changes again after its commit, on another connection.
      const unlock = step?.to === 'done' ? '' : ', @event_webhook_receiver = RELEASE_ALL_LOCKS()';
      await run(`SET autocommit = IF(${chunks.join(' + ')} = ${keys.length}, 1, ${REFUSE})${unlock}`);
    },
    async undo(run) {
      await run('ROLLBACK');
      await run('SET autocommit = 1');
      // Last, because `terminate` finds the connection by its locks.
      await run('DO RELEASE_ALL_LOCKS()');
    },
    leave: (run) => run('KILL CONNECTION_ID()'),
    cancel: (run, claimed) => kill(run, claimed, 'QUERY'),
    terminate: (run, claimed) => kill(run, claimed, 'CONNECTION'),
  };
}

/** Besides conflicts, errors with which a server may roll back: lock wait timeout, lock table full. */
const ROLLBACKS = new Set(['1205', '1206', 'ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_TABLE_FULL']);
/** Converts to one collation, as UNION requires. */
function plain(expression: string): string {
  return `CONVERT(${expression} USING utf8mb4) COLLATE utf8mb4_bin`;
}

function ignore(): void {}
