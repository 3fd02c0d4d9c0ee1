import { type Run, valuesOf } from './database.js';
import { type Durations, keysOf, reasonsOf, type Statements, type Status } from './dialect.js';
import { endedError } from './outcome.js';
import { chunksOf, jsonLiteral, literal, type State, type Table } from './table.js';

/** Marks the transaction: ending it removes its savepoints, with whatever statement. */
const MARK = 'event_webhook_receiver';

/** How the statements get the time in ms, their keys as a JSON array, and the owner. */
interface Inputs {
  now(): string;
  keys(keys: readonly string[]): string;
  owner(owner: string): string;
  /** The values of the parameters, if there are any. */
  values(keys: readonly string[], owner?: string): readonly string[] | undefined;
}

/** For a file: the clock of the process, because one machine has the file. */
const OF_FILE: Inputs = {
  now: () => String(Math.floor(Date.now())),
  keys: jsonLiteral,
  owner: literal,
  values: () => undefined,
};

/**
 * For a server: its own clock, because the clocks of its clients differ. Parameters, because the text of a statement is
 * limited to 100 kB in D1, which the keys of a large delivery exceed.
 */
const OF_SERVER: Inputs = {
  now: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  keys: () => '?1',
  owner: () => '?2',
  values: (keys, owner) => [JSON.stringify(keys), ...(owner === undefined ? [] : [owner])],
};

/** The texts of the statements. Synchronous drivers run several of them in one turn. */
export function sqliteTexts({ quoted }: Table, { leaseMs, retentionMs }: Durations, inputs = OF_FILE) {
  const { now } = inputs;
  const replace =
    'ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, state = excluded.state, expires_at = excluded.expires_at';
  const isOver = (at: string) => `expires_at <= ${at} AND state <> 'open'`;
  const openEach = `INSERT INTO ${quoted} (key, owner, state, expires_at) SELECT value, ?, 'open', ? FROM json_each(?) WHERE true
     ${replace} WHERE ${isOver('?')} RETURNING key`;
  const finishEach = `UPDATE ${quoted} SET state = 'done' WHERE key IN (SELECT value FROM json_each(?)) AND owner = ?`;
  const among = (keys: readonly string[]) => `key IN (SELECT value FROM json_each(${inputs.keys(keys)}))`;
  const upsert = (keys: readonly string[], owner: string, state: State, ms: number) =>
    `INSERT INTO ${quoted} (key, owner, state, expires_at)
     SELECT value, ${inputs.owner(owner)}, '${state}', ${now()} + ${Math.ceil(ms)} FROM json_each(${inputs.keys(keys)}) WHERE true
     ${replace}`;
  return {
    status: (keys: readonly string[]) =>
      `SELECT key, CASE state WHEN 'done' THEN 'duplicate' WHEN 'open' THEN 'unknown' ELSE 'in-progress' END FROM ${quoted}
       WHERE ${among(keys)} AND NOT (${isOver(now())})`,
    /** Claims for the length of a lease. */
    lease: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'lease', leaseMs)} WHERE ${isOver(now())} RETURNING key`,
    complete: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'done', retentionMs)} WHERE owner = excluded.owner OR (${isOver(now())}) RETURNING key`,
    release: (keys: readonly string[], owner: string) =>
      `DELETE FROM ${quoted} WHERE ${among(keys)} AND owner = ${inputs.owner(owner)} AND state = 'lease'`,
    /** Claims for a transaction. */
    open: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 'open', retentionMs)} WHERE ${isOver(now())} RETURNING key`,
    finish: (keys: readonly string[], owner: string) =>
      `UPDATE ${quoted} SET state = 'done' WHERE ${among(keys)} AND owner = ${inputs.owner(owner)}`,
    /** The same two with values: one JSON array for all keys, so that the text does not depend on their number. */
    openEach: (keys: readonly string[], owner: string) =>
      [openEach, [owner, Math.ceil(Date.now() + retentionMs), JSON.stringify(keys), Math.floor(Date.now())]] as const,
    finishEach: (keys: readonly string[], owner: string) => [finishEach, [JSON.stringify(keys), owner]] as const,
    look: (keys: readonly string[], owner: string) =>
      `SELECT key FROM ${quoted} WHERE ${among(keys)} AND owner = ${inputs.owner(owner)} LIMIT 1`,
    sweep: (rows: number) =>
      `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE ${isOver(now())} LIMIT ${rows}) RETURNING 1`,
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

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
    claim: async (run, keys, owner) => new Map(await inChunks(keys, (some) => statements.claim(run, some, owner))),
    complete: async (run, keys, owner) =>
      new Set(await inChunks(keys, (some) => statements.complete(run, some, owner))),
    release: (run, keys, owner) => inChunks(keys, async (some) => [await statements.release(run, some, owner)]),
  };
}

/** D1 takes up to 2 MB in a parameter: twice as much as this many keys of the longest kind. */
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
  async function check(run: Run): Promise<void> {
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
    claim: async (run, keys, owner) => {
      const claimed = await run(texts.lease(keys, owner), undefined, values(keys, owner));
      return new Map(keysOf(claimed).map((key) => [key, undefined]));
    },
    complete: async (run, keys, owner) =>
      new Set(keysOf(await run(texts.complete(keys, owner), undefined, values(keys, owner)))),
    release: (run, keys, owner) => run(texts.release(keys, owner), undefined, values(keys, owner)),
    transaction: {
      async claim(run, keys, owner) {
        const claimed = keysOf(await run(texts.open(keys, owner)));
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
      leaveOpen: (run, { keys, owner }) => run(texts.open(keys, owner)),
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

/** The statements that create the tables. */
export function sqliteDdl({ quoted, index, cursors }: Table): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (key TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at)`,
    `CREATE TABLE IF NOT EXISTS ${cursors} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
  ];
}
