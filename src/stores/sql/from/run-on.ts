import { hasMethods } from '../../../internal/check-client.js';

/** What the synchronous drivers of SQLite have in common. */
export interface SqliteLike {
  exec(sql: string): unknown;
  prepare(sql: string): { all(): unknown[] };
}

/** Runs statements. After a busy statement that was prepared, libsql's connection commits nothing from then on. */
export function runOn(db: SqliteLike): (statement: string) => readonly object[] {
  return (statement) => {
    if (/^(SELECT|PRAGMA)|RETURNING \w+$/.test(statement)) return db.prepare(statement).all() as object[];
    db.exec(statement);
    return [];
  };
}

export function isSqlite(value: unknown): value is SqliteLike {
  return hasMethods<SqliteLike>(value, 'exec', 'prepare');
}
