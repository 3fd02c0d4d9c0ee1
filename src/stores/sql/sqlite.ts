import type { Step } from '../store.js';
import type { RunStatement } from './database.js';
import { claimsOf, type Durations, keysOf, type Statements, type Syntax, type Texts } from './dialect.js';
import { reasonsOf } from './errors.js';
import { finishing, isAt } from './logs.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { inChunks, rowStatements, statusText, writeReturning } from './syntax.js';
import type { State, Table } from './table.js';

/** Savepoint that marks the transaction. Any statement that ends the transaction also removes it. */
const MARK = 'event_webhook_receiver';

/** A statement and the values of its parameters. */
type Sql = readonly [text: string, values: readonly string[]];

/**
 * Epoch milliseconds on the clock of the database: of the machine that has the file, or of a server. SQLite evaluates
 * a subquery once for all rows.
 */
const NOW = "(SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))";
const later = (ms: number) => `${NOW} + ${Math.ceil(ms)}`;
const IS_OVER = `expires_at <= ${NOW} AND state <> 'open'`;
const IS_IDLE = `state = 'dead' AND (retry_until IS NULL OR retry_until <= ${NOW})`;

/**
 * Texts are parameters, because D1 limits a statement to 100 kB, which the keys of a large delivery exceed, and
 * because a statement that stays the same is prepared once. better-sqlite3 takes `?1` only by name.
 */
function parameters() {
  const values: string[] = [];
  const of = (text: string) => {
    values.push(text);
    return '?';
  };
  return { of, values: () => values };
}

function syntaxOf({ quoted }: Table): Syntax {
  return {
    rows: () => quoted,
    prefix: '',
    key: 'key',
    // D1 takes up to 2 MB in a parameter, twice the size of this many keys of full length.
    mostKeys: 5000,
    among: (keys, { of }) => `key IN (SELECT value FROM json_each(${of(JSON.stringify(keys))}))`,
    texts: parameters,
    select: (column) => column,
    read: String,
    now: () => NOW,
    later,
    at: String,
    ms: (value) => value,
    isOver: () => IS_OVER,
    isIdle: () => IS_IDLE,
    isUnlocked: () => 'true',
    write: writeReturning(() => quoted),
    end: () => '',
  };
}

/** A statement with its texts. */
function sql(text: (texts: Texts) => string): Sql {
  const texts = parameters();
  return [text(texts), texts.values()];
}

/** The statements, which a synchronous driver runs in one turn. */
export function sqliteTexts(table: Table, { leaseMs, retentionMs }: Durations) {
  const { quoted } = table;
  const syntax = syntaxOf(table);
  const replace =
    'ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, state = excluded.state, expires_at = excluded.expires_at, done_at = excluded.done_at';
  /** Claims keys that are free, or new. The rows are JSON: each is a list of the key and the values of its record. */
  const claim = (
    keys: readonly string[],
    owner: string,
    [state, ms]: readonly [State, number],
    records: Step['records'],
    rest: string,
  ) =>
    sql(({ of }) => {
      const rows = keys.map((key) => (records ? [key, ...recordValues(records.get(key))] : [key]));
      const columns = records ? RECORD_COLUMNS : [];
      const values = columns.map((_, at) => `, json_extract(value, '$[${at + 1}]')`).join('');
      return `INSERT INTO ${quoted} (${['key, owner, state, expires_at, claimed_at', ...columns].join(', ')})
       SELECT json_extract(value, '$[0]'), ${of(owner)}, '${state}', ${later(ms)}, ${NOW}${values}
       FROM json_each(${of(JSON.stringify(rows))}) WHERE true
       ${replace}${['claimed_at', ...columns].map((name) => `, ${name} = excluded.${name}`).join('')}${rest} RETURNING key, abandoned`;
    });
  /** Claims keys whose rows are dead letters, or logs. */
  const take = (keys: readonly string[], owner: string, set: string, condition: string) =>
    sql(
      (texts) =>
        `UPDATE ${quoted} SET owner = ${texts.of(owner)}, claimed_at = ${NOW}, ${set}
         WHERE ${syntax.among(keys, texts)} AND ${condition} RETURNING key, abandoned`,
    );
  return {
    syntax,
    status: (keys: readonly string[]) => sql((texts) => statusText(syntax, keys, texts)),
    /** Claims for the length of a lease. */
    lease(keys: readonly string[], owner: string, { from, records }: Step): Sql {
      if (from !== 'dead') {
        return claim(keys, owner, ['lease', leaseMs], records, `, abandoned = state = 'lease' WHERE ${IS_OVER}`);
      }
      const set = `abandoned = retry_until IS NOT NULL, retry_until = ${later(leaseMs)}`;
      return take(keys, owner, set, IS_IDLE);
    },
    complete: (keys: readonly string[], owner: string) =>
      sql(
        ({ of }) =>
          `INSERT INTO ${quoted} (key, owner, state, expires_at, done_at)
           SELECT value, ${of(owner)}, 'done', ${later(retentionMs)}, ${NOW}
           FROM json_each(${of(JSON.stringify(keys))}) WHERE true
           ${replace}, letter = NULL
           WHERE owner = excluded.owner OR (${IS_OVER}) OR (${IS_IDLE}) RETURNING key`,
      ),
    /** Claims for a transaction. */
    open(keys: readonly string[], owner: string, step: Step): Sql {
      const { from, records, transitions } = step;
      if (transitions) return take(keys, owner, `state = 'open'`, isAt(syntax, step));
      if (from !== 'dead') return claim(keys, owner, ['open', retentionMs], records, ` WHERE ${IS_OVER}`);
      return take(keys, owner, `state = 'open', expires_at = ${later(retentionMs)}`, IS_IDLE);
    },
    leaveOpen(keys: readonly string[], owner: string, step: Step | undefined): Sql {
      const isLog = step?.transitions ? ` OR (${isAt(syntax, step)})` : '';
      const condition = ` WHERE (${IS_OVER}) OR (${IS_IDLE})${isLog}`;
      return claim(keys, owner, ['open', retentionMs], step?.records, condition);
    },
    finish: (keys: readonly string[], owner: string, step: Step | undefined) =>
      finishing(syntax, keys, owner, step).map(sql),
    sweep: (rows: number) =>
      sql(
        () => `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE ${IS_OVER}
         AND (last_failed_at IS NULL OR last_failed_at <= ${NOW} - ${retentionMs}) LIMIT ${rows}) RETURNING 1`,
      ),
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

/** The statements for a file, or for a server whose clients have no interactive transactions. */
export function sqliteStatements(table: Table, durations: Durations): Statements {
  const texts = sqliteTexts(table, durations);
  const { syntax } = texts;
  const send = (run: RunStatement, [text, values]: Sql) => run(text, undefined, values);
  async function check(run: RunStatement): Promise<void> {
    await run(texts.check).catch((error: unknown) => {
      throw hasEnded(error) ? endedError(error) : error;
    });
  }

  return {
    ...rowStatements(syntax),
    table: table.name,
    cursors: () => table.cursors,
    async migrate(run) {
      for (const statement of sqliteDdl(table)) await run(statement);
    },
    sweep: async (run, rows) => (await send(run, texts.sweep(rows))).rows.length,
    async claim(run, keys, owner, step) {
      const claim = (some: readonly string[]) => send(run, texts.lease(some, owner, step)).then(claimsOf);
      return new Map(await inChunks(syntax, keys, claim));
    },
    complete: async (run, keys, owner) =>
      new Set(await inChunks(syntax, keys, async (some) => keysOf(await send(run, texts.complete(some, owner))))),
    transaction: {
      async claim(run, keys, owner, step) {
        const claimed = keysOf(await send(run, texts.open(keys, owner, step)));
        await run(texts.mark);
        return { keys: claimed, owner, id: owner };
      },
      check,
      async finish(run, claimed) {
        await check(run);
        for (const each of texts.finish(claimed.keys, claimed.owner, claimed.step)) await send(run, each);
      },
      isRollback: (error) =>
        reasonsOf(error).some(({ code, message }) =>
          /SQLITE_(FULL|IOERR|NOMEM|INTERRUPT)|disk is full|disk I\/O error|out of memory|interrupted/.test(
            `${code} ${message}`,
          ),
        ),
      leaveOpen: (run, { keys, owner, step }) => send(run, texts.leaveOpen(keys, owner, step)),
      // The file has one writer at a time, so the connection keeps its lock until the handler settles.
      spoil: (run) => run('PRAGMA query_only = ON'),
      undo: (run) => run('PRAGMA query_only = OFF'),
    },
  };
}

/** Whether `check` failed because the handler ended the transaction. */
export function hasEnded(error: unknown): boolean {
  return reasonsOf(error).some(
    ({ code, message }) => code === 'TRANSACTION_CLOSED' || /no such savepoint/.test(String(message)),
  );
}

export function sqliteDdl({ quoted, index, cursors }: Table): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (key TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, first_failed_at INTEGER, last_failed_at INTEGER, source TEXT, error_code TEXT, error_message TEXT, letter TEXT, abandoned INTEGER NOT NULL DEFAULT 0, retry_until INTEGER, via TEXT, kind TEXT, event_id TEXT, received_at INTEGER, claimed_at INTEGER, done_at INTEGER, chain TEXT, block_number INTEGER, block_hash TEXT, transitions INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at)`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
  ];
}
