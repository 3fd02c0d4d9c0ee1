import { storeError } from '../bounded-calls.js';
import { valuesOf } from './database.js';
import { type Durations, ENDED, keysOf, reasonsOf, type Statements, type Status } from './dialect.js';
import { literal, literals, type Table } from './table.js';

/** Marks the transaction: ending it removes its savepoints, with whatever statement. */
const MARK = 'event_webhook_receiver';

/**
 * The texts of the statements, which synchronous drivers run in one turn. They use the clock of the process, because one
 * machine has the file.
 */
export function sqliteTexts({ quoted }: Table, { leaseMs, retentionMs }: Durations) {
  const now = () => Math.floor(Date.now());
  const replace =
    'ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, done = excluded.done, expires_at = excluded.expires_at';
  const recordEach = `INSERT INTO ${quoted} (key, owner, done, expires_at) SELECT value, ?, 1, ? FROM json_each(?) WHERE true
     ${replace} WHERE expires_at <= ? RETURNING key`;
  const upsert = (keys: readonly string[], owner: string, done: 0 | 1, expires: number) =>
    `INSERT INTO ${quoted} (key, owner, done, expires_at)
     VALUES ${keys.map((key) => `(${literal(key)}, ${literal(owner)}, ${done}, ${Math.ceil(expires)})`).join(', ')}
     ${replace}`;
  return {
    status: (keys: readonly string[]) =>
      `SELECT key, CASE WHEN done THEN 'duplicate' ELSE 'in-progress' END FROM ${quoted}
       WHERE key IN (${literals(keys)}) AND expires_at > ${now()}`,
    /** Claims for the length of a lease. */
    lease: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 0, now() + leaseMs)} WHERE expires_at <= ${now()} RETURNING key`,
    complete: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 1, now() + retentionMs)} WHERE owner = excluded.owner OR expires_at <= ${now()} RETURNING key`,
    release: (keys: readonly string[], owner: string) =>
      `DELETE FROM ${quoted} WHERE key IN (${literals(keys)}) AND owner = ${literal(owner)} AND done = 0`,
    /** Claims and records in one, for a transaction. */
    record: (keys: readonly string[], owner: string) =>
      `${upsert(keys, owner, 1, now() + retentionMs)} WHERE expires_at <= ${now()} RETURNING key`,
    /** As `record`, with values: one JSON array for all keys, so that the text does not depend on their number. */
    recordEach: (keys: readonly string[], owner: string) =>
      [recordEach, [owner, Math.ceil(now() + retentionMs), JSON.stringify(keys), now()]] as const,
    sweep: (rows: number) =>
      `DELETE FROM ${quoted} WHERE key IN (SELECT key FROM ${quoted} WHERE expires_at <= ${now()} LIMIT ${rows}) RETURNING 1`,
    mark: `SAVEPOINT ${MARK}`,
    /** Fails unless the transaction is the one that was marked. */
    check: `RELEASE ${MARK}`,
  };
}

export function sqliteStatements(table: Table, durations: Durations): Statements {
  const texts = sqliteTexts(table, durations);
  return {
    table: table.name,
    async migrate(run) {
      for (const statement of sqliteDdl(table)) await run(statement);
    },
    sweep: async (run, rows) => (await run(texts.sweep(rows))).rows.length,
    status: async (run, keys) => new Map((await run(texts.status(keys))).rows.map(valuesOf) as [string, Status][]),
    claim: async (run, keys, owner) =>
      new Map(keysOf(await run(texts.lease(keys, owner))).map((key) => [key, undefined])),
    complete: async (run, keys, owner) => new Set(keysOf(await run(texts.complete(keys, owner)))),
    release: (run, keys, owner) => run(texts.release(keys, owner)),
    transaction: {
      async claim(run, keys, owner) {
        const claimed = keysOf(await run(texts.record(keys, owner)));
        await run(texts.mark);
        return { keys: claimed, id: owner };
      },
      async check(run) {
        await run(texts.check).catch((error: unknown) => {
          throw hasEnded(error) ? storeError(ENDED, error) : error;
        });
      },
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

/** The statements that create the table. */
export function sqliteDdl({ quoted, index }: Table): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted} (key TEXT PRIMARY KEY, owner TEXT NOT NULL, done INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at)`,
  ];
}
