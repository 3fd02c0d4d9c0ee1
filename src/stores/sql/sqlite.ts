import { type RunStatement, valuesOf } from './database.js';
import { claimsOf, type Durations, keysOf, reasonsOf, type Statements, type Status } from './dialect.js';
import { endedError } from './outcome.js';
import { type Inputs, OF_FILE, OF_SERVER } from './sqlite-inputs.js';
import { sqliteLetters } from './sqlite-letters.js';
import { chunksOf, type State, statusOf, type Table } from './table.js';

/** Savepoint that marks the transaction. Any statement that ends the transaction also removes it. */
const MARK = 'event_webhook_receiver';

/** The texts of the statements. Synchronous drivers run several of them in one turn. */
export function sqliteTexts({ quoted }: Table, { leaseMs, retentionMs }: Durations, inputs = OF_FILE) {
  const { now } = inputs;
  const replace =
    'ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, state = excluded.state, expires_at = excluded.expires_at';
  const openEach = `INSERT INTO ${quoted} (key, owner, state, expires_at) SELECT value, ?, 'open', ? FROM json_each(?) WHERE true
     ${replace} WHERE ${isOver('?')} RETURNING key`;
  const finishEach = `UPDATE ${quoted} SET state = 'done', letter = NULL WHERE key IN (SELECT value FROM json_each(?)) AND owner = ?`;
  const among = (keys: readonly string[]) => `key IN (SELECT value FROM json_each(${inputs.keys(keys)}))`;
  const upsert = (keys: readonly string[], owner: string, state: State, ms: number) =>
    `INSERT INTO ${quoted} (key, owner, state, expires_at)
     SELECT value, ${inputs.owner(owner)}, '${state}', ${now()} + ${Math.ceil(ms)} FROM json_each(${inputs.keys(keys)}) WHERE true
     ${replace}`;
  const own = (keys: readonly string[], owner: string) => `${among(keys)} AND owner = ${inputs.owner(owner)}`;
  return {
    status: (keys: readonly string[]) =>
      `SELECT key, ${statusOf(isIdle(now()))} FROM ${quoted} WHERE ${among(keys)} AND NOT (${isOver(now())})`,
    /** Claims for the length of a lease. */
    lease: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'lease', leaseMs)}, abandoned = state = 'lease' WHERE ${isOver(now())} RETURNING key, abandoned`,
    /** Claims dead letters for the length of a lease. */
    leaseDead: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET owner = ${inputs.owner(owner)}, abandoned = retry_until IS NOT NULL,
         retry_until = ${now()} + ${Math.ceil(leaseMs)}
       WHERE ${among(keys)} AND ${isIdle(now())} RETURNING key, abandoned`,
    complete: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'done', retentionMs)}, letter = NULL
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
    open: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'open', retentionMs)} WHERE ${isOver(now())} RETURNING key`,
    /** Claims dead letters for a transaction. */
    retry: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET owner = ${inputs.owner(owner)}, state = 'open', expires_at = ${now()} + ${Math.ceil(retentionMs)}
       WHERE ${among(keys)} AND ${isIdle(now())} RETURNING key`,
    leaveOpen: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'open', retentionMs)} WHERE (${isOver(now())}) OR (${isIdle(now())}) RETURNING key`,
    finish: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET state = 'done', letter = NULL WHERE ${own(keys, owner)}`,
    /** The same two with parameters: one JSON array for all keys, so that the text does not depend on their number. */
    openEach: (keys: readonly string[], owner: string) =>
      [openEach, [owner, Math.ceil(Date.now() + retentionMs), JSON.stringify(keys), Math.floor(Date.now())]] as const,
    finishEach: (keys: readonly string[], owner: string) => [finishEach, [JSON.stringify(keys), owner]] as const,
    look: (keys: readonly string[], owner: string) => `SELECT key FROM ${quoted} WHERE ${own(keys, owner)} LIMIT 1`,
    sweep: (rows: number) =>
      `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE ${isOver(now())}
         AND (last_failed_at IS NULL OR last_failed_at <= ${now()} - ${retentionMs}) LIMIT ${rows}) RETURNING 1`,
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

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
    claim: async (run, keys, owner, { from }) => {
      const text = from === 'dead' ? texts.leaseDead(keys, owner) : texts.lease(keys, owner);
      return claimsOf(await run(text, undefined, values(keys, owner)));
    },
    complete: async (run, keys, owner) =>
      new Set(keysOf(await run(texts.complete(keys, owner), undefined, values(keys, owner)))),
    async release(run, keys, owner) {
      await run(texts.release(keys, owner), undefined, values(keys, owner));
      await run(texts.keep(keys, owner), undefined, values(keys, owner));
    },
    letters: sqliteLetters({ table: table.quoted, inputs, isOver, isIdle }, durations),
    transaction: {
      async claim(run, keys, owner, { from }) {
        const claimed = keysOf(await run(from === 'dead' ? texts.retry(keys, owner) : texts.open(keys, owner)));
        await run(texts.mark);
        return { keys: claimed, owner, id: owner };
      },
      check,
      async finish(run, claimed) {
        await check(run);
        await run(texts.finish(claimed.keys, claimed.owner));
      },
      isRollback: (error) =>
        reasonsOf(error).some(({ code, message }) =>
          /SQLITE_(FULL|IOERR|NOMEM|INTERRUPT)|disk is full|disk I\/O error|out of memory|interrupted/.test(
            `${code} ${message}`,
          ),
        ),
      look: async (run, { keys, owner }) => (await run(texts.look(keys, owner))).rows.length > 0,
      leaveOpen: (run, { keys, owner }) => run(texts.leaveOpen(keys, owner)),
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
    `CREATE TABLE IF NOT EXISTS ${quoted} (key TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, first_failed_at INTEGER, last_failed_at INTEGER, source TEXT, error_code TEXT, error_message TEXT, letter TEXT, abandoned INTEGER NOT NULL DEFAULT 0, retry_until INTEGER) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at)`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
  ];
}
