import { monotonicNow } from '../../internal/deadline.js';
import { storeError } from '../bounded-calls.js';
import { type Run, valuesOf } from './database.js';
import { type Claimed, codesOf, type Durations, isConflict, keysOf, type TransactionStatements } from './dialect.js';
import { changedSettings, settingsText } from './mysql-session.js';
import { COLUMNS, later, type MysqlTable, NOW, ownedBy, unlessLocked, upsert, type Written } from './mysql-table.js';
import { endedError } from './outcome.js';
import { chunksOf, literal, literals, NEVER } from './table.js';

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
  /** The name of a lock. The server computes it, which costs less than longer statements. */
  const lockOf = (key: string) => `CONCAT('ewr:', LEFT(SHA2(CONCAT(_ascii'${table.scope} ', ${key}), 256), 40))`;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * Claims all keys, or none: asks for each lock just before its row is inserted, so that a key held elsewhere is skipped
   * without waiting. A duplicate locks the gap before its row until the rollback.
   */
  async function claimAll(run: Run, keys: readonly string[], written: Written, id: string): Promise<boolean> {
    const { owner, done, expires } = written;
    let inserted = 0;
    try {
      for (const chunk of chunksOf(keys)) {
        // Frees what an earlier transaction has left, before the first lock.
        const first = inserted === 0 ? `IF(j.n = 1, RELEASE_ALL_LOCKS() + GET_LOCK('${id}', 0), 1)` : '1';
        const list = literals(chunk).replaceAll("'", '"');
        const { changed = 0 } = await run(
          `INSERT INTO ${table.quoted} ${COLUMNS} SELECT j.k, ${literal(owner)}, ${done}, ${expires}
           FROM JSON_TABLE('[${list}]', '$[*]' COLUMNS (n FOR ORDINALITY, k VARCHAR(200) CHARACTER SET ascii PATH '$')) AS j
           WHERE IF(${first}, GET_LOCK(${lockOf('j.k')}, 0), 0)`,
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

  /** Asks for the locks, and in the same round trip, unless that would wait, for the keys that have rows. */
  async function ask(run: Run, keys: readonly string[], first: string) {
    const found = table.skipsLocked ? '' : `UNION ALL ${expiryOf(keys, plain('`key`'))}`;
    const locks = keys.map((key) => `GET_LOCK(${lockOf(`_ascii${literal(key)}`)}, 0)`).join(', ');
    // As a number, the time is cheaper to insert with each key.
    const head = `CONCAT_WS('|', ${retained}, ${first})`;
    const { rows } = await run(`SELECT ${plain(head)} AS name, CONCAT(${locks}) AS value ${found}`);
    const [[told, answers], ...known] = rows.map(valuesOf) as [[string, string], ...[string, string][]];
    return {
      expires: BigInt(told.split('|')[0] as string),
      locked: keys.filter((_, index) => answers[index] === '1'),
      isExpired: expired(known),
    };
  }

  const expiryOf = (keys: readonly string[], column = '`key`') =>
    `SELECT ${column}, expires_at <= ${NOW} FROM ${table.quoted} WHERE \`key\` IN (${literals(keys)}) ${unlessLocked(table)}`;
  const expired = (rows: readonly [string, string][]) => new Map(rows.map(([key, value]) => [key, value === '1']));

  async function insert(run: Run, keys: readonly string[], written: Written): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const { owner, done, expires } = written;
    const rows = keys.map((key) => `(${literal(key)}, ${literal(owner)}, ${done}, ${expires})`).join(', ');
    const { changed } = await run(`INSERT IGNORE INTO ${table.quoted} ${COLUMNS} VALUES ${rows}`);
    return changed === keys.length ? keys : keysOf(await run(ownedBy(table, keys, owner)));
  }

  /** Claims expired keys, under the locks of their rows. */
  async function renew(run: Run, over: readonly string[], { owner, done, expires }: Written): Promise<string[]> {
    if (over.length === 0) return [];
    const keys = keysOf(
      await run(
        `SELECT \`key\` FROM ${table.quoted} FORCE INDEX (PRIMARY)
         WHERE \`key\` IN (${literals(over)}) AND expires_at <= ${NOW} FOR UPDATE SKIP LOCKED`,
      ),
    );
    if (keys.length === 0) return [];
    await run(
      `UPDATE ${table.quoted} SET owner = ${literal(owner)}, done = ${done}, expires_at = ${expires} WHERE \`key\` IN (${literals(keys)})`,
    );
    return keys;
  }

  async function claimSome(run: Run, keys: readonly string[], written: Written, first: string): Promise<Set<string>> {
    const { expires, locked, ...before } = await ask(run, keys, first);
    // A duplicate would lock the gap before its row, so that other transactions wait to insert there.
    const absent = locked.filter((key) => !before.isExpired.has(key));
    const claimed = new Set(await insert(run, absent, written.done === 1 ? { ...written, expires } : written));
    const others = keys.filter((key) => !claimed.has(key));
    if (others.length === 0) return claimed;
    const isExpired = table.skipsLocked
      ? expired((await run(expiryOf(others))).rows.map(valuesOf) as [string, string][])
      : before.isExpired;
    for (const key of await renew(
      run,
      others.filter((each) => isExpired.get(each)),
      written,
    ))
      claimed.add(key);
    await takeOver(
      run,
      others.filter((key) => !isExpired.has(key)),
    );
    return claimed;
  }

  /**
   * Closes the connections of other transactions that have waited for a statement for longer than a lease: their processes
   * were frozen. A user may see and close its own connections.
   */
  async function takeOver(run: Run, keys: readonly string[]): Promise<void> {
    if (keys.length === 0 || monotonicNow() - lookedAt < Math.min(TAKEOVER_EVERY_MS, leaseMs)) return;
    lookedAt = monotonicNow();
    const used = await run(
      keys.map((key) => `SELECT IS_USED_LOCK(${lockOf(`_ascii${literal(key)}`)})`).join(' UNION '),
    );
    const holders = new Set(keysOf(used));
    const { rows } = await run('SHOW PROCESSLIST');
    for (const [id, , , , command, seconds] of rows.map(valuesOf) as [string, ...string[]][]) {
      const isFrozen = command === 'Sleep' && Number(seconds) * 1000 >= leaseMs;
      if (isFrozen && holders.has(id)) await run(`KILL ${Number(id)}`);
    }
  }

  async function kill(run: Run, { id }: Claimed, what: 'CONNECTION' | 'QUERY'): Promise<void> {
    const [holder] = keysOf(await run(`SELECT IS_USED_LOCK('${id}')`));
    if (holder !== undefined && /^\d+$/.test(holder)) await run(`KILL ${what} ${holder}`);
  }

  const lookAt = async (run: Run) => keysOf(await run(`SELECT ${settingsText(table.isMariadb)}`))[0] as string;

  /**
   * Marks the transaction, and resolves to the settings of its session. Sends all before it returns. Without autocommit,
   * what a handler writes after a deadlock that it ignores, when the server has rolled back, does not commit by itself.
   */
  async function mark(run: Run): Promise<string> {
    const [, , session] = await Promise.all([run(`SAVEPOINT ${MARK}`), run('SET autocommit = 0'), lookAt(run)]);
    return session;
  }

  /** Overwrites rows of `owner`. Sends all before it returns. */
  async function rewrite(run: Run, keys: readonly string[], { owner, done, expires }: Written): Promise<void> {
    const set = `SET done = ${done}, expires_at = ${expires}`;
    const all = chunksOf(keys).map((chunk) =>
      run(`UPDATE ${table.quoted} ${set} WHERE \`key\` IN (${literals(chunk)}) AND owner = ${literal(owner)}`),
    );
    await Promise.all(all);
  }

  async function check(run: Run, { isLost, session }: Claimed): Promise<void> {
    const lost = isLost && (await isLost());
    if (lost === 'and continued') throw endedError();
    if (lost) throw storeError(LOST);
    const marked = session?.();
    // The client saw every statement, and none can end a transaction.
    if (marked === undefined) return;
    await run(`RELEASE SAVEPOINT ${MARK}`).catch(async (error: unknown) => {
      if (!codesOf(error).includes('1305')) throw error;
      // LOCK TABLES, for one, would outlive the transaction.
      await run('KILL CONNECTION_ID()').catch(ignore);
      throw endedError(error);
    });
    await marked;
  }

  /** Closes the connection if the handler changed its settings, and resolves to their names. */
  async function tidy(run: Run, before: string): Promise<string[]> {
    const changed = changedSettings(table.isMariadb, before, await lookAt(run));
    if (changed.length > 0) await run('KILL CONNECTION_ID()').catch(ignore);
    return changed;
  }

  return {
    async claim(run, keys, owner, watch) {
      const id = `ewr:${owner}`;
      const [open, done] = [openOf(owner), { owner, done: 1, expires: retained } as const];
      // A client that shows its statements tells when one could end the transaction. Until then, the rows need not be open.
      const written = watch ? done : open;
      const claimed: string[] = [];
      if (await claimAll(run, keys, written, id)) claimed.push(...keys);
      else {
        let first = `RELEASE_ALL_LOCKS(), GET_LOCK('${id}', 0)`;
        for (const chunk of chunksOf(keys)) {
          claimed.push(...(await claimSome(run, chunk, written, first)));
          first = `''`;
        }
      }
      let session: Promise<string> | undefined;
      const start = () => {
        session ??= Promise.all([watch && rewrite(run, claimed, open), mark(run)]).then(([, settings]) => settings);
        return session;
      };
      if (claimed.length > 0) {
        if (watch) watch.beforeOther(() => start().catch(ignore));
        else await start();
      }
      const isOwned = async () => (await run(ownedBy(table, claimed.slice(0, 1), owner))).rows.length > 0;
      const isLost = async () => {
        const failed = await watch?.hasFailed();
        return failed && !(await isOwned()) ? failed : undefined;
      };
      return { keys: claimed, owner, id, session: () => session, isLost: watch && isLost };
    },
    check,
    async finish(run, claimed) {
      await check(run, claimed);
      const session = await claimed.session?.();
      if (session === undefined) return;
      const changed = await tidy(run, session);
      if (changed.length > 0) throw storeError(changedText(changed));
      await rewrite(run, claimed.keys, { owner: claimed.owner, done: 1, expires: retained });
    },
    conflictsEnd: true,
    isRollback: (error) => isConflict(error) || codesOf(error).some((code) => ROLLBACKS.has(code)),
    look: async (run, { keys, owner }) =>
      (await run(`${ownedBy(table, keys.slice(0, 1), owner)} ${unlessLocked(table)}`)).rows.length > 0,
    async leaveOpen(run, { keys, owner }) {
      for (const chunk of chunksOf(keys)) await run(upsert(table, chunk, openOf(owner), `expires_at <= ${NOW}`));
    },
    async end(run, { session }) {
      if (session?.() === undefined) return;
      // Commits. A connection on which that failed must not serve others.
      await run('SET autocommit = 1').catch(async (error: unknown) => {
        await run('KILL CONNECTION_ID()').catch(ignore);
        throw error;
      });
    },
    async undo(run, claimed) {
      await run('ROLLBACK');
      const session = await claimed.session?.();
      if (session !== undefined) {
        await tidy(run, session);
        await run('SET autocommit = 1');
      }
      // Last, because `terminate` finds the connection by its locks.
      await run('DO RELEASE_ALL_LOCKS()');
    },
    spoil: (run) => run('KILL CONNECTION_ID()'),
    cancel: (run, claimed) => kill(run, claimed, 'QUERY'),
    terminate: (run, claimed) => kill(run, claimed, 'CONNECTION'),
  };
}

const openOf = (owner: string): Written => ({ owner, done: 0, expires: NEVER });

/** Besides conflicts, errors with which a server may roll back: lock wait timeout, lock table full. */
const ROLLBACKS = new Set(['1205', '1206', 'ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_TABLE_FULL']);
const LOST =
  'The server rolled back the transaction with the last statement of the handler, which failed. Let the handler reject.';

/** In one collation, as UNION demands. */
function plain(expression: string): string {
  return `CONVERT(${expression} USING utf8mb4) COLLATE utf8mb4_bin`;
}

function changedText(names: readonly string[]): string {
  return `The handler changed ${names.join(', ')} of its session, which would outlive its transaction, so the transaction was rolled back. Restore settings before the handler returns.`;
}

function ignore(): void {}
