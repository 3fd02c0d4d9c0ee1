import { sha256Hex } from '#runtime';
import { monotonicNow } from '../../internal/deadline.js';
import { storeError } from '../bounded-calls.js';
import { type Run, valuesOf } from './database.js';
import { type Claimed, codesOf, type Durations, ENDED, keysOf, type TransactionStatements } from './dialect.js';
import { changedSettings, settingsText } from './mysql-session.js';
import { COLUMNS, later, type MysqlTable, NOW, ownedBy, unlessLocked } from './mysql-table.js';
import { chunksOf, literal, literals } from './table.js';

/** Marks the transaction: ending it removes its savepoints, with whatever statement. */
const MARK = 'event_webhook_receiver';
/** How often a store looks for holders that were frozen, in ms. */
const TAKEOVER_EVERY_MS = 1000;

/**
 * INSERT waits for a key that another transaction has inserted, so transactions hold a named lock for each key, which can
 * be asked for without waiting. Exactly once does not depend on the locks, but on the primary key. They stay with the
 * connection until it is used again, or closed: nothing waits for them, and a key that was committed needs none.
 */
export function mysqlTransaction(table: MysqlTable, { leaseMs, retentionMs }: Durations): TransactionStatements {
  const retained = later(retentionMs);
  const lockOf = (key: string) => `'ewr:${sha256Hex(`${table.scope} ${key}`).slice(0, 40)}'`;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Asks for the locks, and in the same round trip, unless that would wait, for the keys that have rows. */
  async function ask(run: Run, keys: readonly string[], first: string) {
    const found = table.isSerializable ? '' : `UNION ALL ${expiryOf(keys, plain('`key`'))}`;
    const locks = keys.map((key) => `GET_LOCK(${lockOf(key)}, 0)`).join(', ');
    // As a number, the time is cheaper to insert with each key.
    const head = `CONCAT_WS('|', ${retained}, ${first})`;
    const { rows } = await run(`SELECT ${plain(head)} AS name, CONCAT(${locks}) AS value ${found}`);
    const [[told = '', answers = ''] = [], ...known] = rows.map(valuesOf);
    const [expires = '', ...session] = told.split('|');
    return {
      expires: BigInt(expires),
      session: session.slice(2).join('|'),
      locked: keys.filter((_, index) => answers[index] === '1'),
      isExpired: expired(known),
    };
  }

  const expiryOf = (keys: readonly string[], column = '`key`') =>
    `SELECT ${column}, expires_at <= ${NOW} FROM ${table.quoted} WHERE \`key\` IN (${literals(keys)}) ${unlessLocked(table)}`;
  const expired = (rows: readonly string[][]) => new Map(rows.map(([key = '', value]) => [key, value === '1']));

  async function insert(run: Run, keys: readonly string[], owner: string, expires: bigint): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const rows = keys.map((key) => `(${literal(key)}, ${literal(owner)}, 1, ${expires})`).join(', ');
    const { changed } = await run(`INSERT IGNORE INTO ${table.quoted} ${COLUMNS} VALUES ${rows}`);
    return changed === keys.length ? keys : keysOf(await run(ownedBy(table, keys, owner, 1)));
  }

  /** Claims expired keys, under the locks of their rows. */
  async function renew(run: Run, over: readonly string[], owner: string): Promise<string[]> {
    if (over.length === 0) return [];
    const keys = keysOf(
      await run(
        `SELECT \`key\` FROM ${table.quoted} FORCE INDEX (PRIMARY)
         WHERE \`key\` IN (${literals(over)}) AND expires_at <= ${NOW} FOR UPDATE SKIP LOCKED`,
      ),
    );
    if (keys.length === 0) return [];
    await run(
      `UPDATE ${table.quoted} SET owner = ${literal(owner)}, done = 1, expires_at = ${retained} WHERE \`key\` IN (${literals(keys)})`,
    );
    return keys;
  }

  async function claimSome(run: Run, keys: readonly string[], owner: string, first: string) {
    const { session, expires, locked, ...before } = await ask(run, keys, first);
    // A duplicate would lock the gap before its row, so that other transactions wait to insert there.
    const absent = locked.filter((key) => !before.isExpired.has(key));
    const claimed = new Set(await insert(run, absent, owner, expires));
    const others = keys.filter((key) => !claimed.has(key));
    if (others.length === 0) return { session, claimed };
    const isExpired = table.isSerializable
      ? expired((await run(expiryOf(others))).rows.map(valuesOf))
      : before.isExpired;
    for (const key of await renew(
      run,
      others.filter((each) => isExpired.get(each)),
      owner,
    ))
      claimed.add(key);
    await takeOver(
      run,
      others.filter((key) => !isExpired.has(key)),
    );
    return { session, claimed };
  }

  /**
   * Closes the connections of other transactions that have waited for a statement for longer than a lease: their processes
   * were frozen. A user may see and close its own connections.
   */
  async function takeOver(run: Run, keys: readonly string[]): Promise<void> {
    if (keys.length === 0 || monotonicNow() - lookedAt < Math.min(TAKEOVER_EVERY_MS, leaseMs)) return;
    lookedAt = monotonicNow();
    const used = await run(keys.map((key) => `SELECT IS_USED_LOCK(${lockOf(key)})`).join(' UNION '));
    const holders = new Set(keysOf(used));
    const { rows } = await run('SHOW PROCESSLIST');
    for (const [id = '', , , , command, seconds] of rows.map(valuesOf)) {
      const isFrozen = command === 'Sleep' && Number(seconds) * 1000 >= leaseMs;
      if (isFrozen && holders.has(id)) await run(`KILL ${Number(id)}`);
    }
  }

  async function kill(run: Run, { id }: Claimed, what: 'CONNECTION' | 'QUERY'): Promise<void> {
    const [holder] = keysOf(await run(`SELECT IS_USED_LOCK('${id}')`));
    if (holder !== undefined && /^\d+$/.test(holder)) await run(`KILL ${what} ${holder}`);
  }

  /** Closes the connection if the handler changed its settings, and resolves to their names. */
  async function tidy(run: Run, { session = '' }: Claimed): Promise<string[]> {
    const [after = ''] = keysOf(await run(`SELECT ${settingsText(table.isMariadb)}`));
    const changed = changedSettings(table.isMariadb, session, after);
    if (changed.length > 0) await run('KILL CONNECTION_ID()').catch(ignore);
    return changed;
  }

  return {
    async claim(run, keys, owner) {
      // Frees what an earlier transaction has left, before it asks for more.
      const id = `ewr:${owner}`;
      const first = `RELEASE_ALL_LOCKS(), GET_LOCK('${id}', 0), ${settingsText(table.isMariadb)}`;
      const claimed: string[] = [];
      let session: string | undefined;
      for (const chunk of chunksOf(keys)) {
        const some = await claimSome(run, chunk, owner, session === undefined ? first : `''`);
        session ??= some.session;
        claimed.push(...some.claimed);
      }
      if (claimed.length > 0) await run(`SAVEPOINT ${MARK}`);
      return { keys: claimed, id, session };
    },
    async check(run, claimed) {
      await run(`RELEASE SAVEPOINT ${MARK}`).catch(async (error: unknown) => {
        if (!codesOf(error).includes('1305')) throw error;
        // LOCK TABLES, for one, would outlive the transaction.
        await run('KILL CONNECTION_ID()').catch(ignore);
        throw storeError(ENDED, error);
      });
      const changed = await tidy(run, claimed);
      if (changed.length > 0) throw storeError(changedText(changed));
    },
    async undo(run, claimed) {
      await run('ROLLBACK');
      await run('DO RELEASE_ALL_LOCKS()');
      await tidy(run, claimed);
    },
    spoil: (run) => run('KILL CONNECTION_ID()'),
    cancel: (run, claimed) => kill(run, claimed, 'QUERY'),
    terminate: (run, claimed) => kill(run, claimed, 'CONNECTION'),
  };
}

/** In one collation, as UNION demands. */
function plain(expression: string): string {
  return `CONVERT(${expression} USING utf8mb4) COLLATE utf8mb4_bin`;
}

function changedText(names: readonly string[]): string {
  return `The handler changed ${names.join(', ')} of its session, which would outlive its transaction, so the transaction was rolled back. Restore settings before the handler returns.`;
}

function ignore(): void {}
