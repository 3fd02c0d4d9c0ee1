import { hasMethods } from '../../../internal/check-client.js';
import type { SynchronousDatabase } from '../database.js';

/** The common part of the synchronous SQLite drivers. */
export interface SqliteLike {
  exec(sql: string): unknown;
  prepare(sql: string): { all(...values: (string | number)[]): unknown[] };
}

/** Runs statements, and keeps those with values prepared, because their texts are few. */
export function runOn(db: SqliteLike): SynchronousDatabase<unknown>['runNow'] {
  const prepared = new Map<string, ReturnType<SqliteLike['prepare']>>();
  return (text, values) => {
    if (values === undefined) {
      if (/^(SELECT|PRAGMA)|RETURNING [\w, ]+$/.test(text)) return db.prepare(text).all() as object[];
      // After a prepared statement that was busy, libsql's connection commits nothing.
      db.exec(text);
      return [];
    }
    const statement = prepared.get(text) ?? db.prepare(text);
    // Removed while the statement runs, because libsql does not reset a failed statement.
    prepared.delete(text);
    const rows = statement.all(...values) as object[];
    prepared.set(text, statement);
    return rows;
  };
}

export function isSqlite(value: unknown): value is SqliteLike {
  return hasMethods<SqliteLike>(value, 'exec', 'prepare');
}
