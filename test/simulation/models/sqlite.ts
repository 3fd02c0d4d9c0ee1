/**
 * A SQLite file that the processes of a world share. It is the real SQLite (libsql) on a real file, with its real locks, so
 * nothing is modelled but death: when a process dies, its connection rolls back and refuses every further call. Left out:
 * the death of the machine, so the file is written without fsync.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';

type Values = readonly (string | number | null)[];

/** A connection as fromBetterSqlite3 takes it. */
export class SqliteConnection {
  readonly #file: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();
  #isBroken = false;
  #isOpen = true;
  readonly #onCommit: () => void;

  constructor(path: string, onCommit: () => void) {
    this.#onCommit = onCommit;
    this.#file = new Database(path);
    this.#file.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
  }

  get open(): boolean {
    return this.#isOpen;
  }

  get inTransaction(): boolean {
    this.#check();
    return this.#file.inTransaction;
  }

  exec(text: string): void {
    this.#check();
    this.#file.exec(text);
    this.#committed(text);
  }

  prepare(text: string): { all(...values: Values): unknown[] } {
    this.#check();
    return { all: (...values) => this.#all(text, values) };
  }

  /** Statements stay prepared for the next life, because preparing one costs more than running it. */
  #all(text: string, values: Values): unknown[] {
    this.#check();
    const statement = this.#prepared.get(text) ?? this.#file.prepare(text);
    // libsql does not reset a statement that failed.
    this.#prepared.delete(text);
    try {
      const rows = statement.all(...values);
      this.#committed(text);
      if (this.#prepared.size < MOST_PREPARED) this.#prepared.set(text, statement);
      return rows;
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #committed(text: string): void {
    if (!this.#file.inTransaction && !text.startsWith('PRAGMA') && text !== 'ROLLBACK') this.#onCommit();
  }

  #check(): void {
    if (!this.#isOpen) throw new Error('The process of this connection to SQLite has died.');
  }

  /** The process dies. Returns whether the connection can serve another life. */
  die(): boolean {
    if (this.#isOpen && this.#file.inTransaction) this.#file.exec('ROLLBACK');
    this.#isOpen = false;
    // A statement that failed may still hold a lock.
    if (this.#isBroken) this.#file.close();
    return !this.#isBroken;
  }

  revive(): void {
    this.#isOpen = true;
  }
}

const MOST_PREPARED = 50;

/** One file for many schedules, because creating one costs more than a schedule. */
export class SqliteFile {
  /** Counts what may have committed something. */
  commits = 0;
  readonly #path: string;
  readonly #empty: string;
  readonly #own: SqliteConnection;
  readonly #open = new Set<SqliteConnection>();
  readonly #free: SqliteConnection[] = [];

  /** @param ddl The statements that create `tables`. */
  constructor(ddl: readonly string[], tables: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'simulated-sqlite-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#path = join(folder, 'file.db');
    this.#own = new SqliteConnection(this.#path, () => {});
    for (const statement of ddl) this.#own.exec(statement);
    this.#empty = `BEGIN; ${tables.map((table) => `DELETE FROM ${table};`).join(' ')} COMMIT`;
  }

  /** A connection for one life of a process. */
  connect(): SqliteConnection {
    const connection = this.#free.pop() ?? new SqliteConnection(this.#path, () => this.commits++);
    connection.revive();
    this.#open.add(connection);
    return connection;
  }

  /** The process of a connection dies. */
  kill(connection: SqliteConnection): void {
    if (this.#open.delete(connection) && connection.die()) this.#free.push(connection);
  }

  /** Ends all lives and deletes all rows: for the next schedule. */
  empty(): void {
    for (const connection of this.#open) this.kill(connection);
    this.#own.exec(this.#empty);
  }

  /** The committed rows, for invariants. */
  rows(query: string): readonly object[] {
    return this.#own.prepare(query).all() as object[];
  }
}
