import { monotonicNow } from '../../internal/time.js';
import type { Answer, RunStatement, SynchronousDatabase } from './database.js';
import { isBusy } from './errors.js';

/** Delay before the next try when another connection is writing, in ms. */
export const BUSY_RETRY_MS = 5;

/** Repeats the work while another connection is writing, for up to `timeoutMs`. */
export async function whenFree<T>(work: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  // Monotonic: setting the wall clock must not shorten or prolong the wait.
  const end = monotonicNow() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || monotonicNow() > end) throw error;
    }
    await sleep(BUSY_RETRY_MS);
  }
}

/** Runs statements of a synchronous driver one by one, each in a transaction. */
export function runsOf(db: SynchronousDatabase<unknown>, timeoutMs: number): RunStatement {
  return (statement, _timeoutMs, values) =>
    whenFree((): Answer => {
      const end = begin(db);
      try {
        const rows = db.runNow(statement, values);
        db.runNow('COMMIT');
        return { rows };
      } finally {
        end();
      }
    }, timeoutMs);
}

/**
 * Opens a transaction with the write lock from its start, so that only BEGIN and COMMIT can be busy. Neither waits for
 * a lock, which would block the process. Returns a function that rolls back unless the transaction was committed.
 */
export function begin(db: SynchronousDatabase<unknown>): () => void {
  const state = db.state();
  // libsql crashes the process when a closed connection is used.
  if (state === 'closed') throw new Error(CLOSED);
  if (state === 'in a transaction') throw new Error(IN_TRANSACTION);
  const [row] = db.runNow('PRAGMA busy_timeout', []);
  const [timeoutMs] = Object.values(row ?? {}).map(Number);
  if (timeoutMs) db.runNow('PRAGMA busy_timeout = 0');
  const end = () => {
    // On some errors, such as a full disk, SQLite has already rolled back.
    if (db.state() === 'in a transaction') db.runNow('ROLLBACK');
    if (timeoutMs && db.state() === 'free') db.runNow(`PRAGMA busy_timeout = ${timeoutMs}`);
  };
  try {
    db.runNow('BEGIN IMMEDIATE');
  } catch (error) {
    end();
    throw error;
  }
  return end;
}

export const CLOSED = 'The database is closed.';
const IN_TRANSACTION =
  'Other code has a transaction open on the connection. Give the store its own connection, or end transactions in the turn in which they begin.';

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
