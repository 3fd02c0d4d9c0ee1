import { SqliteFile } from '../models/sqlite.js';
import type { Subject } from '../subject/load.js';

export function keysOf(file: SqliteFile, query: string): string[] {
  return file.rows(query).map((row) => String(Object.values(row)[0]));
}

let shared: SqliteFile | undefined;

/** One file for all schedules of a thread. */
export function sharedFile({ sqlDdl }: Subject): SqliteFile {
  const ddl = [...sqlDdl({ dialect: 'sqlite' }), 'CREATE TABLE effects (key TEXT NOT NULL)'];
  shared ??= new SqliteFile(ddl, ['webhook_idempotency_keys', 'effects']);
  return shared;
}
