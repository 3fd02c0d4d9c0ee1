import { chmodSync, closeSync, existsSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from 'event-webhook-receiver';
import type Database from 'libsql';
import { whyNotPrivate } from './private-file.js';

/** A connection to a SQLite file. */
export type Connection = InstanceType<typeof Database>;

/** Identifies our files: `ewhs` in ASCII. */
const APPLICATION_ID = 0x65_77_68_73;
/** No SQLite file is shorter; SQLite would overwrite such a file. */
const LEAST_BYTES = 512;

/** The -wal file is cut to this size after a checkpoint. */
const MAX_WAL_BYTES = 4 * 1024 * 1024;

// Fields are JSON in UTF-8, as bytes: libsql ends the process when it reads damaged text.
const SCHEMA = `
  CREATE TABLE service (id INTEGER PRIMARY KEY, fields BLOB NOT NULL) STRICT;
  CREATE TABLE webhooks (id INTEGER PRIMARY KEY, fields BLOB NOT NULL) STRICT;
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    fields BLOB NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, id);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = 1;
`;

/**
 * Opens the SQLite file of a local service, or creates it, and locks it for this service until {@link closeDatabase}.
 * Only its owner can read it. A symbolic link is followed.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the file is in use, was not made by a local service, or cannot be opened.
 */
export async function openDatabase(path: string): Promise<Connection> {
  const Sqlite = await loadSqlite();
  return explaining(path, () => {
    const file = prepareFile(path);
    // Does not wait for another service to end.
    const database = new Sqlite(file, { timeout: 0 });
    try {
      initialize(database, path);
      return database;
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
      throw error;
    }
  });
}

/** Runs `work` on the file. Throws errors of SQLite and the file system as a ConfigError that names the file. */
export function explaining<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = 'ERR_SQLITE' } = Object(error) as NodeJS.ErrnoException;
    const reason = Object.entries(REASONS).find(([prefix]) => code.startsWith(prefix))?.[1];
    throw new ConfigError(`\`file\`: ${path} ${reason ?? 'cannot be opened or written'} (${code}).`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is in use by another local service. Close that one, or choose another file',
  SQLITE_NOTADB: 'was not created by a local service, so it was left unchanged. Choose another file',
  SQLITE_CORRUPT: 'is damaged. Choose another file',
  SQLITE_FULL: 'cannot be written: the disk is full. Free some space',
  SQLITE_READONLY: 'cannot be written. Check its permissions',
};

/** Closes the file and releases its lock. */
export function closeDatabase(database: Connection): void {
  try {
    // close() would keep the lock until the prepared statements are garbage-collected.
    query(database, 'PRAGMA locking_mode = NORMAL');
    query(database, 'SELECT count(*) FROM service');
    query(database, 'PRAGMA journal_mode = DELETE');
  } catch {
    // A full disk, or a damaged file. No commit is lost: the next service reads the -wal file.
  }
  database.close();
}

async function loadSqlite() {
  try {
    return (await import('libsql')).default;
  } catch {
    throw new ConfigError('`file` needs the package libsql, which could not be loaded. Reinstall event-webhooks.');
  }
}

/** The real path of a file that only its owner can read; created when it does not exist. */
function prepareFile(path: string): string {
  const full = resolve(path);
  const file = existsSync(full) ? realpathSync(full) : join(realpathSync(dirname(full)), basename(full));
  try {
    // SQLite gives -wal, -shm and -journal files the mode of the database file.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // An existing file is not opened here: closing it would release the locks that SQLite has on it in this process.
  const stat = lstatSync(file);
  const reason = whyNotPrivate(stat);
  if (reason !== undefined) throw new ConfigError(`\`file\`: ${path} cannot be used: ${reason}. Choose another file.`);
  if (stat.size > 0 && stat.size < LEAST_BYTES) throw notOurs();
  return file;
}

const notOurs = () => Object.assign(new Error(), { code: 'SQLITE_NOTADB' });

/** The error for content that no service has written; {@link explaining} turns it into a ConfigError. */
export const damaged = () => Object.assign(new Error(), { code: 'SQLITE_CORRUPT' });

function initialize(database: Connection, path: string): void {
  database.exec('BEGIN IMMEDIATE');
  const isNew =
    query(database, 'SELECT count(*) FROM sqlite_schema') === 0 && query(database, 'PRAGMA application_id') === 0;
  const isOurs =
    query(database, 'PRAGMA application_id') === APPLICATION_ID && query(database, 'PRAGMA user_version') === 1;
  if (!isNew && !isOurs) throw notOurs();
  if (isNew) database.exec(SCHEMA);
  database.exec('COMMIT');
  chmodSync(realpathSync(path), 0o600);
  query(database, 'PRAGMA foreign_keys = ON');
  // Commits survive the end of the process without waiting for the disk.
  query(database, 'PRAGMA journal_mode = WAL');
  query(database, 'PRAGMA synchronous = NORMAL');
  query(database, `PRAGMA journal_size_limit = ${MAX_WAL_BYTES}`);
  // Read once before the lock is taken: otherwise SQLite could not release it.
  query(database, 'SELECT count(*) FROM service');
  query(database, 'PRAGMA locking_mode = EXCLUSIVE');
  database.exec('BEGIN IMMEDIATE; COMMIT');
}

/** Runs a statement to its end, so that it holds no lock. Returns the first column of the first row. */
function query(database: Connection, sql: string): unknown {
  return Object.values(Object(database.prepare(sql).all()[0]))[0];
}
