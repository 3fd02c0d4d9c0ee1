/**
 * The database of D1: the real SQLite in memory, one statement at a time, with the clock of a simulated server in place of
 * SQLite's own. Left out: batches, sessions, the limits of sizes, and replicas, which the store never reads from.
 */
import Database from 'libsql';

type Value = string | number | null;

export class D1Engine {
  readonly #memory = new Database(':memory:');
  readonly #prepared = new Map<string, Database.Statement>();

  /** Runs one statement at `now`, in epoch milliseconds, and returns its rows. */
  query(text: string, values: readonly Value[], now: number): readonly object[] {
    const statement = this.#prepared.get(text) ?? this.#prepare(text, values.length);
    // libsql does not reset a statement that failed.
    this.#prepared.delete(text);
    // SQLite counts whole milliseconds, in seconds.
    const rows = statement.all(...values, ...(text.includes(CLOCK) ? [Math.floor(now) / 1000] : [])) as object[];
    this.#prepared.set(text, statement);
    return rows;
  }

  #prepare(text: string, values: number): Database.Statement {
    const timed = text.replaceAll(CLOCK, `?${values + 1}`);
    if (OTHER_CLOCK.test(timed)) throw new Error(`The D1 model does not know the clock of: ${text}`);
    return this.#memory.prepare(timed);
  }

  empty(...tables: readonly string[]): void {
    for (const table of tables) this.#memory.exec(`DELETE FROM ${table}`);
  }
}

const CLOCK = "unixepoch('subsec')";
const OTHER_CLOCK = /\b(unixepoch|julianday|(date)?time|date|strftime)\s*\(|\bcurrent_(date|time)/i;
