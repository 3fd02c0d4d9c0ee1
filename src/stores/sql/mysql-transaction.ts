import { monotonicNow } from '../../internal/time.js';
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
  type Written,
} from './mysql-table.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { inChunks, select, send } from './syntax.js';
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
   *
   * @param first Evaluated before the first lock.
   */
  async function claimAll(run: RunStatement, keys: readonly string[], written: Written, first: string) {
    const { owner, state, expires, records } = written;
    const names = RECORD_COLUMNS.map((name, at) => `${name} ${TYPES[at]} PATH '$[${at + 1}]'`);
    const [columns, paths] = records ? [`, ${RECORD_COLUMNS.join(', ')}`, `, ${names.join(', ')}`] : ['', ''];
    let inserted = 0;
    try {
      for (const chunk of chunksOf(keys)) {
        const isFirst = inserted === 0 ? `IF(j.n = 1, ${first}, 1)` : '1';
        const rows = chunk.map((key) => [key, ...(records ? recordValues(records.get(key)) : [])]);
        const { changed = 0 } = await run(
          `INSERT INTO ${table.quoted} (\`key\`, owner, state, expires_at, claimed_at${columns})
           SELECT j.k, ${literal(owner)}, '${state}', ${expires}, ${NOW}${columns}
           FROM JSON_TABLE(${text(JSON.stringify(rows))}, '$[*]' COLUMNS (n FOR ORDINALITY, k VARCHAR(200) CHARACTER SET ascii PATH '$[0]'${paths})) AS j
           WHERE IF(${isFirst}, GET_LOCK(${lockOf(table, 'j.k')}, 0), 0)`,
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

  /** Requests the locks of keys, and resolves to those that it got. */
  const lock = (run: RunStatement, keys: readonly string[]) =>
    inChunks(syntax, keys, async (some) => {
      const locks = some.map((key) => `GET_LOCK(${lockOfKey(key)}, 0)`).join(', ');
      const [answers = ''] = keysOf(await run(`SELECT CONCAT(${locks})`));
      return some.filter((_, at) => answers[at] === '1');
    });

  /** Reads whether rows are free, or not because a run has the key or nothing may run. */
  async function rowsOf(run: RunStatement, keys: readonly string[]): Promise<Map<string, number>> {
    const state = `CASE WHEN ${IS_OVER} THEN ${OVER} WHEN state = 'done' THEN 0 ELSE ${TAKEN} END`;
    const found = await inChunks(syntax, keys, (some) =>
      select(run, syntax, ['`key`', state], () => `\`key\` IN (${literals(some)})`),
    );
    return new Map(found.map(([key, value]) => [String(key), Number(value)]));
  }

  const insert = (run: RunStatement, keys: readonly string[], written: Written) =>
    inChunks(syntax, keys, async (some) => {
      const { changed } = await run(insertInto(table, some, written, ' IGNORE'));
      return changed === some.length ? some : keysOf(await run(ownedText(table, some, written.owner)));
    });

  /** Claims keys that have a row, under the locks of their rows. */
  const renew = (run: RunStatement, old: readonly string[], written: Written, condition: string) =>
    inChunks(syntax, old, async (some) => {
      const keys = keysOf(
        await run(
          `SELECT \`key\` FROM ${table.quoted} FORCE INDEX (PRIMARY)
           WHERE \`key\` IN (${literals(some)}) AND ${condition} FOR UPDATE SKIP LOCKED`,
        ),
      );
      if (keys.length === 0) return [];
      const set = columnsOf(written).map((column) => `${column} = VALUES(${column})`);
      await run(`${insertInto(table, keys, written)} ON DUPLICATE KEY UPDATE ${set.join(', ')}, done_at = NULL`);
      return keys;
    });

  /** Claims those keys that are free. */
  async function claimSome(run: RunStatement, keys: readonly string[], written: Written): Promise<readonly string[]> {
    const locked = await lock(run, keys);
    // A duplicate would lock the gap before its row, so that other transactions wait to insert there.
    const known = table.skipsLocked ? new Map<string, number>() : await rowsOf(run, keys);
    const absent = locked.filter((key) => !known.has(key));
    const inserted = new Set(await insert(run, absent, written));
    const others = keys.filter((key) => !inserted.has(key));
    const found = table.skipsLocked ? await rowsOf(run, others) : known;
    const over = others.filter((key) => found.get(key) === OVER);
    const renewed = await renew(run, over, written, IS_OVER);
    const taken = others.filter((key) => found.get(key) === TAKEN);
    await unlock(run, taken);
    const held = others.filter((key) => !found.has(key));
    await takeOver(run, held);
    return [...inserted, ...renewed];
  }

  /** Claims keys whose rows fulfil a condition. */
  async function claimOld(run: RunStatement, keys: readonly string[], written: Written, condition: string) {
    const locked = await lock(run, keys);
    const renewed = new Set(await renew(run, locked, written, condition));
    const others = locked.filter((key) => !renewed.has(key));
    await unlock(run, others);
    return [...renewed];
  }

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
      const id = `ewr:${owner}`;
      const open: Written = { owner, state: 'open', expires: retained, claimed: NOW, records: step.records };
      // Releases the locks of an earlier transaction.
      const first = `RELEASE_ALL_LOCKS() + GET_LOCK('${id}', 0)`;
      let claimed = keys;
      if (step.from !== 'free' || !(await claimAll(run, keys, open, first))) {
        await run(`DO ${first}`);
        claimed =
          step.from === 'free'
            ? await claimSome(run, keys, open)
            : await claimOld(run, keys, open, step.from === 'dead' ? IS_IDLE : isAt(syntax, step));
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
    async leaveOpen(run, { keys, owner, step }) {
      const isLog = step?.transitions ? ` OR (${isAt(syntax, step)})` : '';
      for (const chunk of chunksOf(keys)) {
        await run(
          `UPDATE ${table.quoted} SET owner = ${literal(owner)}, expires_at = ${retained}, state = 'open'
           WHERE \`key\` IN (${literals(chunk)}) AND ((${IS_OVER}) OR (${IS_IDLE})${isLog})`,
        );
        const open: Written = { owner, state: 'open', expires: retained, claimed: NOW, records: step?.records };
        await insert(run, chunk, open);
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

function ignore(): void {}
