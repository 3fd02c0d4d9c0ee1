import type { Step } from '../store.js';
import type { RunStatement } from './database.js';
import { claimsOf, type Durations, keysOf, type Statements, type Syntax, type Texts } from './dialect.js';
import { reasonsOf } from './errors.js';
import { finishing, isAt } from './logs.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues } from './records.js';
import { inChunks, literalsOf, ownedBy, rowStatements, statusText, writeReturning } from './syntax.js';
import type { State, Table } from './table.js';
import { textLiteral } from './texts.js';

/** Savepoint that marks the transaction. Any statement that ends the transaction also removes it. */
const MARK = 'event_webhook_receiver';

/** A text and the values of its parameters, if there are any. */
type Sql = readonly [text: string, values: readonly string[] | undefined];

const decoded = (hex: string) => `CAST(X'${hex}' AS TEXT)`;
const isOver = (at: string) => `expires_at <= ${at} AND state <> 'open'`;
const isIdle = (at: string) => `state = 'dead' AND (retry_until IS NULL OR retry_until <= ${at})`;

/** How the statements get the time in ms, and their texts. */
type Inputs = Pick<Syntax, 'now' | 'texts'>;

/** For a file: the clock of the process, because one machine has the file. */
const OF_FILE: Inputs = {
  now: () => String(Math.floor(Date.now())),
  texts: literalsOf((text) => textLiteral(text, decoded)),
};

/**
 * For a server: its own clock, because the clocks of its clients differ. With parameters, because D1 limits the text of
 * a statement to 100 kB, which the keys of a large delivery exceed.
 */
export const OF_SERVER: Inputs = {
  now: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  texts() {
    const values: string[] = [];
    return { of: (text) => `?${values.push(text)}`, values: () => values };
  },
};

function syntaxOf({ quoted }: Table, { now, texts }: Inputs): Syntax {
  return {
    rows: () => quoted,
    prefix: '',
    key: 'key',
    // D1 takes up to 2 MB in a parameter, twice the size of this many keys of full length.
    mostKeys: 5000,
    among: (keys, { of }) => `key IN (SELECT value FROM json_each(${of(JSON.stringify(keys))}))`,
    texts,
    select: (column) => column,
    read: String,
    now,
    later: (ms) => `${now()} + ${Math.ceil(ms)}`,
    at: String,
    ms: (value) => value,
    isOver: () => isOver(now()),
    isIdle: () => isIdle(now()),
    isUnlocked: () => 'true',
    write: writeReturning(() => quoted),
    end: () => '',
  };
}

/** The texts of the statements. Synchronous drivers run several of them in one turn. */
export function sqliteTexts(table: Table, { leaseMs, retentionMs }: Durations, inputs = OF_FILE) {
  const { quoted } = table;
  const syntax = syntaxOf(table, inputs);
  const { now, later, among } = syntax;
  const replace =
    'ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, state = excluded.state, expires_at = excluded.expires_at, done_at = excluded.done_at';
  /** An INSERT of a claim. The rows are JSON: each is a list of the key and the values of its record. */
  const insert = (
    { owner, state, expires, claimed, rows }: Record<'owner' | 'state' | 'expires' | 'claimed' | 'rows', string>,
    hasRecords: boolean,
  ) => {
    const columns = hasRecords ? RECORD_COLUMNS : [];
    const values = columns.map((_, at) => `, json_extract(value, '$[${at + 1}]')`).join('');
    return `INSERT INTO ${quoted} (${['key, owner, state, expires_at, claimed_at', ...columns].join(', ')})
     SELECT json_extract(value, '$[0]'), ${owner}, ${state}, ${expires}, ${claimed}${values} FROM json_each(${rows}) WHERE true
     ${replace}${['claimed_at', ...columns].map((name) => `, ${name} = excluded.${name}`).join('')}`;
  };
  const openEach = (hasRecords: boolean) => {
    const given = { owner: '?', state: `'open'`, expires: '?', claimed: '?', rows: '?' };
    return `${insert(given, hasRecords)} WHERE ${isOver('?')} RETURNING key`;
  };
  const openTexts = [openEach(false), openEach(true)] as const;
  const finishEach = `UPDATE ${quoted} SET state = 'done', letter = NULL, done_at = ? WHERE key IN (SELECT value FROM json_each(?)) AND owner = ?`;
  /** A statement with texts. */
  const sql = (text: (texts: Texts) => string): Sql => {
    const texts = syntax.texts();
    return [text(texts), texts.values()];
  };
  const claim = (
    keys: readonly string[],
    owner: string,
    [state, ms]: readonly [State, number],
    records: Step['records'],
    rest: string,
  ) =>
    sql(({ of }) => {
      const rows = of(JSON.stringify(rowsOf(keys, records)));
      const given = { owner: of(owner), state: `'${state}'`, expires: later(ms), claimed: now(), rows };
      return `${insert(given, records !== undefined)}${rest} RETURNING key, abandoned`;
    });
  /** Claims keys whose rows are dead letters, or logs. */
  const take = (keys: readonly string[], owner: string, set: string, condition: string, returning = 'key') =>
    sql((texts) => {
      const isAmong = `${among(keys, texts)} AND ${condition}`;
      return `UPDATE ${quoted} SET owner = ${texts.of(owner)}, claimed_at = ${now()}, ${set} WHERE ${isAmong} RETURNING ${returning}`;
    });
  return {
    syntax,
    status: (keys: readonly string[]) => sql((texts) => statusText(syntax, keys, texts)),
    /** Claims for the length of a lease. */
    lease: (keys: readonly string[], owner: string, records: Step['records']) =>
      claim(keys, owner, ['lease', leaseMs], records, `, abandoned = state = 'lease' WHERE ${syntax.isOver()}`),
    /** Claims dead letters for the length of a lease. */
    leaseDead: (keys: readonly string[], owner: string) => {
      const set = `abandoned = retry_until IS NOT NULL, retry_until = ${later(leaseMs)}`;
      return take(keys, owner, set, syntax.isIdle(), 'key, abandoned');
    },
    complete: (keys: readonly string[], owner: string) =>
      sql(({ of }) => {
        const from = `json_each(${of(JSON.stringify(keys))})`;
        return `INSERT INTO ${quoted} (key, owner, state, expires_at, done_at)
         SELECT value, ${of(owner)}, 'done', ${later(retentionMs)}, ${now()} FROM ${from} WHERE true
         ${replace}, letter = NULL
         WHERE owner = excluded.owner OR (${syntax.isOver()}) OR (${syntax.isIdle()}) RETURNING key`;
      }),
    /** Claims for a transaction. */
    open(keys: readonly string[], owner: string, step: Step): Sql {
      const { from, records, transitions } = step;
      if (transitions) return take(keys, owner, `state = 'open'`, isAt(syntax, step));
      if (from !== 'dead') return claim(keys, owner, ['open', retentionMs], records, ` WHERE ${syntax.isOver()}`);
      return take(keys, owner, `state = 'open', expires_at = ${later(retentionMs)}`, syntax.isIdle());
    },
    leaveOpen: (keys: readonly string[], owner: string, step: Step | undefined) => {
      const isLog = step?.transitions ? ` OR (${isAt(syntax, step)})` : '';
      const condition = ` WHERE (${syntax.isOver()}) OR (${syntax.isIdle()})${isLog}`;
      return claim(keys, owner, ['open', retentionMs], step?.records, condition);
    },
    finish: (keys: readonly string[], owner: string, step: Step | undefined) => finishing(syntax, keys, owner, step),
    /** The same two with parameters: one JSON array for all keys, so that the text does not depend on their number. */
    openEach(keys: readonly string[], owner: string, records: Step['records']) {
      const at = Math.floor(Date.now());
      const values = [owner, at + Math.ceil(retentionMs), at, JSON.stringify(rowsOf(keys, records)), at];
      return [openTexts[records ? 1 : 0], values] as const;
    },
    finishEach: (keys: readonly string[], owner: string) =>
      [finishEach, [Math.floor(Date.now()), JSON.stringify(keys), owner]] as const,
    sweep: (rows: number) =>
      `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE ${syntax.isOver()}
         AND (last_failed_at IS NULL OR last_failed_at <= ${now()} - ${retentionMs}) LIMIT ${rows}) RETURNING 1`,
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

const rowsOf = (keys: readonly string[], records: Step['records']) =>
  keys.map((key) => (records ? [key, ...recordValues(records.get(key))] : [key]));

/** The statements for a file, or for a server whose clients have no interactive transactions. */
export function sqliteStatements(table: Table, durations: Durations, inputs = OF_FILE): Statements {
  const texts = sqliteTexts(table, durations, inputs);
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
    sweep: async (run, rows) => (await run(texts.sweep(rows))).rows.length,
    async claim(run, keys, owner, { from, records }) {
      const claim = (some: readonly string[]) =>
        send(run, from === 'dead' ? texts.leaseDead(some, owner) : texts.lease(some, owner, records)).then(claimsOf);
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
        for (const text of texts.finish(claimed.keys, claimed.owner, claimed.step)) await run(text);
      },
      isRollback: (error) =>
        reasonsOf(error).some(({ code, message }) =>
          /SQLITE_(FULL|IOERR|NOMEM|INTERRUPT)|disk is full|disk I\/O error|out of memory|interrupted/.test(
            `${code} ${message}`,
          ),
        ),
      look: async (run, { keys, owner }) => (await ownedBy(run, syntax, keys, owner)).size > 0,
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
