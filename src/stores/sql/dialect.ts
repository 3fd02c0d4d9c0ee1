import type { Claimed as ClaimedKey, Step } from '../store.js';
import { type Answer, type IsolationLevel, type RunStatement, type Transaction, valuesOf } from './database.js';

/**
 * The status of a key that could not be claimed. `unknown`: its row is open, but its transaction has ended. `dead`: a
 * dead letter that is not being retried.
 */
export type Status = 'duplicate' | 'in-progress' | 'unknown' | 'dead';

/** The answers for keys that a step could not claim. A key that a retry may claim has no answer. */
export function wordsOf(
  found: ReadonlyMap<string, Status>,
  keys: readonly string[],
  { from }: Step,
): Map<string, Exclude<Status, 'dead'>> {
  const words = new Map<string, Exclude<Status, 'dead'>>();
  for (const key of keys) {
    const status = found.get(key);
    if (status !== undefined && status !== 'dead') words.set(key, status);
    // The key is free and the step needs a dead letter or a log, or the reverse.
    else if (from === 'free' ? status === 'dead' : status !== 'dead' || from !== 'dead') words.set(key, 'duplicate');
  }
  return words;
}

/** Keys claimed in a transaction. */
export interface Claimed {
  readonly keys: readonly string[];
  /** The owner in the rows of the keys. */
  readonly owner: string;
  /** Identifies the transaction, for `check`, `cancel` and `terminate`. */
  readonly id: string;
  readonly fencingToken?: bigint | undefined;
  /** The role of the session, as a literal: a handler may set another role until the end of its transaction. */
  readonly role?: string | undefined;
  /** The step that claimed them. */
  readonly step?: Step | undefined;
}

export interface Durations {
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** Isolation level of the transactions. (Default: the database's.) */
  readonly isolationLevel?: IsolationLevel | undefined;
}

/**
 * The statements of one database for one table. Keys are unique and sorted, so that overlapping deliveries do not deadlock.
 * No statement waits for a key that another run has claimed.
 */
export interface Statements {
  /** The table's name, as the user wrote it. */
  readonly table: string;
  /** The table of cursors, quoted, and qualified once `prepare` has resolved. */
  cursors(): string;
  /** Called before keys are claimed; returns undefined once there is nothing to prepare. */
  prepare?(run: RunStatement): Promise<void> | undefined;
  migrate(run: RunStatement): Promise<void>;
  /** Deletes up to `rows` expired keys and resolves to their number. */
  sweep(run: RunStatement, rows: number): Promise<number>;

  /** Resolves to the status of each key that is not free. */
  status(run: RunStatement, keys: readonly string[]): Promise<ReadonlyMap<string, Status>>;
  /** Gives the free keys to `owner`, each with a fencing token if the database has one. */
  claim(
    run: RunStatement,
    keys: readonly string[],
    owner: string,
    step: Step,
  ): Promise<ReadonlyMap<string, ClaimedKey>>;
  /** Records that the keys took effect, and removes their letters. Resolves to the keys that no other owner has. */
  complete(run: RunStatement, keys: readonly string[], owner: string): Promise<ReadonlySet<string>>;
  /** Frees the keys. Failed keys keep their count, and dead letters stay. */
  release(run: RunStatement, keys: readonly string[], owner: string): Promise<unknown>;

  readonly transaction: TransactionStatements;
  /** For the statements that all dialects have in common. */
  readonly syntax: Syntax;
}

/** How a dialect writes the parts of a statement on the rows of keys. */
export interface Syntax {
  /** The table with its alias. */
  rows(): string;
  /** Begins the name of a column, if the table has an alias. */
  readonly prefix: string;
  readonly key: string;
  /** Maximum number of keys in one statement. */
  readonly mostKeys: number;
  /** Condition for the rows of some keys. */
  among(keys: readonly string[], texts: Texts): string;
  /** Begins a statement. */
  texts(): Texts;
  /** A text column in SELECT, and the text of its value. */
  select(column: string): string;
  read(value: string): string;
  /** The present, a time after it, and a time in epoch milliseconds, as values of the columns of times. */
  now(): string;
  later(ms: number): string;
  at(ms: number): string;
  /** The epoch milliseconds of such a value. */
  ms(value: string): string;
  /** Condition for rows that are free. */
  isOver(): string;
  /** Condition for dead letters that are not being retried. */
  isIdle(): string;
  /** Condition that no transaction has claimed a key. (Default: the key of the row.) */
  isUnlocked(key?: string): string;
  /** Writes a row of the key, and resolves to whether it did. */
  write(run: RunStatement, row: WrittenRow): Promise<boolean>;
  /** Ends a SELECT that must not wait for transactions. */
  end(): string;
}

/** A row that is written only if nothing has changed since it was read. */
export interface WrittenRow {
  readonly key: string;
  /** Expressions for the columns, and their texts. */
  readonly columns: Readonly<Record<string, string>>;
  readonly texts: Texts;
  /** Condition that the row is as it was read; absent if there was none. */
  readonly isAsRead: string | undefined;
  /** Condition that no transaction has the key. */
  readonly isUnlocked: string;
}

/** The texts of one statement. */
export interface Texts {
  /** An expression for a text. Called in the order in which the expressions appear in the statement. */
  of(text: string): string;
  /** The values of the parameters, if there are any. */
  values(): readonly string[] | undefined;
}

export interface TransactionStatements {
  /** Claims the keys in an open transaction. Their rows are `open`. */
  claim(run: RunStatement, keys: readonly string[], owner: string, step: Step): Promise<Claimed>;
  /** Rejects with `ERR_WEBHOOK_OUTCOME_UNKNOWN` if the transaction is not the one that claimed the keys. */
  check(run: RunStatement, claimed: Claimed): Promise<void>;
  /** Does the same check, and records the keys as done. Runs before the commit. */
  finish(run: RunStatement, claimed: Claimed): Promise<void>;
  /** Whether an error of the handler means that the server may have rolled back the transaction. */
  isRollback?(error: unknown): boolean;
  /** Whether a conflict ends a transaction even if the handler ignores the error. */
  readonly conflictsEnd?: boolean | undefined;
  /** Runs on another connection after the transaction: marks keys without a row, or with a letter, as open. */
  leaveOpen(run: RunStatement, claimed: Claimed): Promise<unknown>;
  /** Finishes and commits in one round trip, for clients that can. */
  commit?(send: NonNullable<Transaction<unknown>['commit']>, claimed: Claimed): Promise<void>;
  /** Runs after `finish`, before the client commits: commits if the rows are still those of the transaction. */
  end?(run: RunStatement, claimed: Claimed): Promise<void>;
  /** Runs before a rollback. */
  undo?(run: RunStatement, claimed: Claimed): Promise<unknown>;

  /** Runs in an open transaction and makes it unusable, so that a late handler writes nothing. (Default: `leave`.) */
  spoil?(run: RunStatement, claimed: Claimed): Promise<unknown>;
  /** Runs in an open transaction and ends its session. (Default: `spoil`.) */
  leave?(run: RunStatement, claimed: Claimed): Promise<unknown>;
  /** Runs on another connection: interrupts the current statement of the transaction. */
  cancel?(run: RunStatement, claimed: Claimed): Promise<unknown>;
  /** Runs on another connection: ends the session of the transaction. */
  terminate?(run: RunStatement, claimed: Claimed): Promise<unknown>;
}

const CLAIMED: ClaimedKey = {};
const ABANDONED: ClaimedKey = { abandoned: true };

/** Reads rows of keys with whether each key was abandoned. */
export function claimsOf({ rows }: Answer): Map<string, ClaimedKey> {
  return new Map(rows.map(valuesOf).map(([key = '', abandoned]) => [key, abandoned === '1' ? ABANDONED : CLAIMED]));
}

/** The first value of each row. */
export function keysOf({ rows }: Answer): string[] {
  return rows.map((row) => String(Object.values(row)[0]));
}
