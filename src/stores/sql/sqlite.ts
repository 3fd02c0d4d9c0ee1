import type { Step } from '../store.js';
import { type RunStatement, valuesOf } from './database.js';
import { claimsOf, type Durations, keysOf, reasonsOf, type Statements, type Status } from './dialect.js';
import { logStatements } from './log-statements.js';
import { endedError } from './outcome.js';
import { RECORD_COLUMNS, recordValues, sqlRecords } from './records.js';
import { type Inputs, OF_FILE, OF_SERVER } from './sqlite-inputs.js';
import { sqliteLetters } from './sqlite-letters.js';
import { chunksOf, type State, statusOf, type Table } from './table.js';

/** Savepoint that marks the transaction. Any statement that ends the transaction also removes it. */
const MARK = 'event_webhook_receiver';

/** The texts of the statements. Synchronous drivers run several of them in one turn. */
export function sqliteTexts({ quoted }: Table, { leaseMs, retentionMs }: Durations, inputs = OF_FILE) {
  const { now } = inputs;
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
  const among = (keys: readonly string[]) => `key IN (SELECT value FROM json_each(${inputs.keys(keys)}))`;
  const claim = (keys: readonly string[], owner: string, state: State, ms: number, records: Step['records']) =>
    insert(
      {
        owner: inputs.owner(owner),
        state: `'${state}'`,
        expires: `${now()} + ${Math.ceil(ms)}`,
        claimed: now(),
        rows: inputs.rows(rowsOf(keys, records)),
      },
      records !== undefined,
    );
  const own = (keys: readonly string[], owner: string) => `${among(keys)} AND owner = ${inputs.owner(owner)}`;
  const logs = logStatements({
    table: () => quoted,
    key: 'key',
    text: (text) => inputs.texts().of(text),
    select: (column) => column,
    read: String,
    at: String,
    now,
    sinceMs: (column) => `${now()} - ${column}`,
    ms: (column) => column,
    retained: () => `${now()} + ${Math.ceil(retentionMs)}`,
  });
  return {
    logs,
    status: (keys: readonly string[]) =>
      `SELECT key, ${statusOf(isIdle(now()))} FROM ${quoted} WHERE ${among(keys)} AND NOT (${isOver(now())})`,
    /** Claims for the length of a lease. */
    lease: (keys: readonly string[], owner: string, records: Step['records']) =>
      `${claim(keys, owner, 'lease', leaseMs, records)}, abandoned = state = 'lease' WHERE ${isOver(now())} RETURNING key, abandoned`,
    /** Claims dead letters for the length of a lease. */
    leaseDead: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET owner = ${inputs.owner(owner)}, abandoned = retry_until IS NOT NULL,
         retry_until = ${now()} + ${Math.ceil(leaseMs)}, claimed_at = ${now()}
       WHERE ${among(keys)} AND ${isIdle(now())} RETURNING key, abandoned`,
    complete: (keys: readonly string[], owner: string) =>
      `INSERT INTO ${quoted} (key, owner, state, expires_at, done_at)
       SELECT value, ${inputs.owner(owner)}, 'done', ${now()} + ${Math.ceil(retentionMs)}, ${now()} FROM json_each(${inputs.keys(keys)}) WHERE true
       ${replace}, letter = NULL
       WHERE owner = excluded.owner OR (${isOver(now())}) OR (${isIdle(now())}) RETURNING key`,
    /** Deletes rows of keys that have not failed before. */
    release: (keys: readonly string[], owner: string) =>
      `DELETE FROM ${quoted} WHERE ${own(keys, owner)} AND state = 'lease' AND attempts = 0`,
    /** Frees rows of keys that have failed before. */
    keep: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET retry_until = NULL, state = CASE state WHEN 'lease' THEN 'failed' ELSE state END,
         expires_at = CASE state WHEN 'lease' THEN ${now()} ELSE expires_at END
       WHERE ${own(keys, owner)} AND state IN ('lease', 'dead')`,
    /** Claims for a transaction. */
    open: (keys: readonly string[], owner: string, records: Step['records']) =>
      `${claim(keys, owner, 'open', retentionMs, records)} WHERE ${isOver(now())} RETURNING key`,
    /** Claims dead letters for a transaction. */
    retry: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET owner = ${inputs.owner(owner)}, state = 'open', expires_at = ${now()} + ${Math.ceil(retentionMs)}, claimed_at = ${now()}
       WHERE ${among(keys)} AND ${isIdle(now())} RETURNING key`,
    leaveOpen: (keys: readonly string[], owner: string, step: Step | undefined) =>
      `${claim(keys, owner, 'open', retentionMs, step?.records)} WHERE (${isOver(now())}) OR (${isIdle(now())})
       ${step?.transitions ? `OR (${logs.isAt(step)})` : ''} RETURNING key`,
    /** Claims logs for a transaction. */
    move: (keys: readonly string[], owner: string, step: Step) =>
      `UPDATE ${quoted} SET owner = ${inputs.owner(owner)}, state = 'open', claimed_at = ${now()}
       WHERE ${among(keys)} AND ${logs.isAt(step)} RETURNING key`,
    finish(keys: readonly string[], owner: string, step: Step | undefined): string[] {
      const { texts, others } = logs.finish(keys, owner, step);
      const done = `UPDATE ${quoted} SET state = 'done', letter = NULL, done_at = ${now()} WHERE ${own(others, owner)}`;
      return others.length > 0 ? [...texts, done] : texts;
    },
    /** The same two with parameters: one JSON array for all keys, so that the text does not depend on their number. */
    openEach(keys: readonly string[], owner: string, records: Step['records']) {
      const at = Math.floor(Date.now());
      const values = [owner, at + Math.ceil(retentionMs), at, JSON.stringify(rowsOf(keys, records)), at];
      return [openTexts[records ? 1 : 0], values] as const;
    },
    finishEach: (keys: readonly string[], owner: string) =>
      [finishEach, [Math.floor(Date.now()), JSON.stringify(keys), owner]] as const,
    look: (keys: readonly string[], owner: string) => `SELECT key FROM ${quoted} WHERE ${own(keys, owner)} LIMIT 1`,
    sweep: (rows: number) =>
      `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE ${isOver(now())}
         AND (last_failed_at IS NULL OR last_failed_at <= ${now()} - ${retentionMs}) LIMIT ${rows}) RETURNING 1`,
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

const rowsOf = (keys: readonly string[], records: Step['records']) =>
  keys.map((key) => (records ? [key, ...recordValues(records.get(key))] : [key]));

const isOver = (at: string) => `expires_at <= ${at} AND state <> 'open'`;
const isIdle = (at: string) => `state = 'dead' AND (retry_until IS NULL OR retry_until <= ${at})`;

/** The statements for a file. */
export function sqliteStatements(table: Table, durations: Durations): Statements {
  return statementsWith(OF_FILE, table, durations);
}

/** The statements for a server whose clients have no interactive transactions. */
export function sqliteServerStatements(table: Table, durations: Durations): Statements {
  const statements = statementsWith(OF_SERVER, table, durations);
  return {
    ...statements,
    status: async (run, keys) => new Map(await inChunks(keys, (some) => statements.status(run, some))),
    claim: async (run, keys, owner, step) =>
      new Map(await inChunks(keys, (some) => statements.claim(run, some, owner, step))),
    complete: async (run, keys, owner) =>
      new Set(await inChunks(keys, (some) => statements.complete(run, some, owner))),
    release: (run, keys, owner) => inChunks(keys, async (some) => [await statements.release(run, some, owner)]),
    letters: {
      ...statements.letters,
      look: async (run, keys) => new Map(await inChunks(keys, (some) => statements.letters.look(run, some))),
      discard: async (run, keys) => new Set(await inChunks(keys, (some) => statements.letters.discard(run, some))),
    },
  };
}

/** Most keys per statement: D1 takes up to 2 MB in a parameter, twice the size of this many keys of full length. */
const SERVER_KEYS = 5000;

async function inChunks<Each>(
  keys: readonly string[],
  call: (some: readonly string[]) => Promise<Iterable<Each>>,
): Promise<Each[]> {
  const found: Each[] = [];
  for (const some of chunksOf(keys, SERVER_KEYS)) found.push(...(await call(some)));
  return found;
}

function statementsWith(inputs: Inputs, table: Table, durations: Durations): Statements {
  const texts = sqliteTexts(table, durations, inputs);
  const { values } = inputs;
  async function check(run: RunStatement): Promise<void> {
    await run(texts.check).catch((error: unknown) => {
      throw hasEnded(error) ? endedError(error) : error;
    });
  }

  return {
    table: table.name,
    cursors: () => table.cursors,
    async migrate(run) {
      for (const statement of sqliteDdl(table)) await run(statement);
    },
    sweep: async (run, rows) => (await run(texts.sweep(rows))).rows.length,
    status: async (run, keys) =>
      new Map((await run(texts.status(keys), undefined, values(keys))).rows.map(valuesOf) as [string, Status][]),
    async claim(run, keys, owner, { from, records }) {
      if (from === 'dead') return claimsOf(await run(texts.leaseDead(keys, owner), undefined, values(keys, owner)));
      const text = texts.lease(keys, owner, records);
      return claimsOf(await run(text, undefined, values(rowsOf(keys, records), owner)));
    },
    complete: async (run, keys, owner) =>
      new Set(keysOf(await run(texts.complete(keys, owner), undefined, values(keys, owner)))),
    async release(run, keys, owner) {
      await run(texts.release(keys, owner), undefined, values(keys, owner));
      await run(texts.keep(keys, owner), undefined, values(keys, owner));
    },
    logs: texts.logs,
    letters: sqliteLetters({ table: table.quoted, inputs, isOver, isIdle }, durations),
    records: sqlRecords({
      from: () => table.quoted,
      key: 'key',
      isOver: () => isOver(inputs.now()),
      ms: (column) => column,
      text: (column) => column,
      read: String,
      literal: OF_FILE.texts().of,
    }),
    transaction: {
      async claim(run, keys, owner, step) {
        const { from, records, transitions } = step;
        const retryOrOpen = () => (from === 'dead' ? texts.retry(keys, owner) : texts.open(keys, owner, records));
        const claimed = keysOf(await run(transitions ? texts.move(keys, owner, step) : retryOrOpen()));
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
      look: async (run, { keys, owner }) => (await run(texts.look(keys, owner))).rows.length > 0,
      leaveOpen: (run, { keys, owner, step }) => run(texts.leaveOpen(keys, owner, step)),
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
