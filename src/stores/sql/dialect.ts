import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import type { Claimed as ClaimedKey, Failed, Failure, LetterStore, Step, StoredLetter } from '../store.js';
import { type Answer, type IsolationLevel, type Run, type Transaction, valuesOf } from './database.js';

/**
 * What is known of a key that could not be claimed. `unknown`: its row is open, and its transaction has ended. `dead`: a
 * dead letter that nobody retries.
 */
export type Status = 'duplicate' | 'in-progress' | 'unknown' | 'dead';

/** The answers for keys that a step could not claim. None for a key that it may claim when it tries again. */
export function wordsOf(
  found: ReadonlyMap<string, Status>,
  keys: readonly string[],
  { from }: Step,
): Map<string, Exclude<Status, 'dead'>> {
  const words = new Map<string, Exclude<Status, 'dead'>>();
  for (const key of keys) {
    const status = found.get(key);
    if (status !== undefined && status !== 'dead') words.set(key, status);
    // Free keys are no letters, and letters are not free.
    else if ((status === 'dead') === (from === 'free')) words.set(key, 'duplicate');
  }
  return words;
}

/** Keys claimed in a transaction. */
export interface Claimed {
  readonly keys: readonly string[];
  /** Of their rows. */
  readonly owner: string;
  /** Identifies the transaction, for `check`, `cancel` and `terminate`. */
  readonly id: string;
  readonly fencingToken?: bigint | undefined;
  /** The role of the session, as a literal: a handler may set another until the end of its transaction. */
  readonly role?: string | undefined;
}

export interface Durations {
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** Of the transactions. (Default: the database's.) */
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
  /** Called before keys are claimed; undefined once there is nothing to do. */
  prepare?(run: Run): Promise<void> | undefined;
  migrate(run: Run): Promise<void>;
  /** Deletes up to `rows` expired keys and resolves to their number. */
  sweep(run: Run, rows: number): Promise<number>;

  /** Of the keys that are not free: which. */
  status(run: Run, keys: readonly string[]): Promise<ReadonlyMap<string, Status>>;
  /** Gives the keys that nobody has to `owner`, each with a fencing token where the database has one. */
  claim(run: Run, keys: readonly string[], owner: string, step: Step): Promise<ReadonlyMap<string, ClaimedKey>>;
  /** Records that the keys took effect, and removes their letters. Resolves to those of `owner` or of nobody. */
  complete(run: Run, keys: readonly string[], owner: string): Promise<ReadonlySet<string>>;
  /** Frees the keys. Those that have failed before keep their count, and dead letters stay. */
  release(run: Run, keys: readonly string[], owner: string): Promise<unknown>;

  readonly transaction: TransactionStatements;
  readonly letters: LetterStatements;
}

/** The statements for failures and dead letters. As in {@link LetterStore}, with keys and texts that the database keeps. */
export interface LetterStatements {
  fail(run: Run, key: string, failure: Failure): Promise<Failed | undefined>;
  look(run: Run, keys: readonly string[]): Promise<ReadonlyMap<string, StoredLetter>>;
  list(run: Run, page: Parameters<LetterStore['list']>[0]): Promise<ReadonlyMap<string, StoredLetter>>;
  discard(run: Run, keys: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface TransactionStatements {
  /** Claims the keys in an open transaction. Their rows are `open`. */
  claim(run: Run, keys: readonly string[], owner: string, step: Step): Promise<Claimed>;
  /** Rejects with `ERR_WEBHOOK_OUTCOME_UNKNOWN` if the transaction is not the one that claimed the keys. */
  check(run: Run, claimed: Claimed): Promise<void>;
  /** Checks the same, and records the keys as done. Before the commit. */
  finish(run: Run, claimed: Claimed): Promise<void>;
  /** Whether an error of the handler tells that the server may have ended the transaction by a rollback. */
  isRollback?(error: unknown): boolean;
  /** Whether conflicts end a transaction, also if the handler ignores them. */
  readonly conflictsEnd?: boolean | undefined;
  /** Runs beside it, when it is over: whether it was committed. */
  look(run: Run, claimed: Claimed): Promise<boolean>;
  /** Runs beside it, when it is over: leaves the keys open that have no row, or a letter, as those are that were committed. */
  leaveOpen(run: Run, claimed: Claimed): Promise<unknown>;
  /** Finishes in the server and commits, in one round trip; for clients that can. */
  commit?(send: NonNullable<Transaction<unknown>['commit']>, claimed: Claimed): Promise<void>;
  /** After `finish`, before the client commits: commits itself, if the rows are still those of the transaction. */
  end?(run: Run, claimed: Claimed): Promise<void>;
  /** Before a rollback. */
  undo?(run: Run, claimed: Claimed): Promise<unknown>;

  /** Makes an open transaction unusable, so that a late handler writes nothing. Runs in it. (Default: `leave`.) */
  spoil?(run: Run, claimed: Claimed): Promise<unknown>;
  /** Ends the session of an open transaction. Runs in it. (Default: `spoil`.) */
  leave?(run: Run, claimed: Claimed): Promise<unknown>;
  /** Runs beside it: interrupts the statement that it is running. */
  cancel?(run: Run, claimed: Claimed): Promise<unknown>;
  /** Runs beside it: ends its session. */
  terminate?(run: Run, claimed: Claimed): Promise<unknown>;
}

/** The codes by which clients say that a statement failed only because of a concurrent transaction. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034', 'ER_LOCK_DEADLOCK', 'ER_CHECKREAD', '1213', '1020']);

/**
 * Whether an error, or one that it was made from, is a serialization failure or a deadlock: the same transaction may
 * succeed when it is run again.
 */
export function isConflict(error: unknown): boolean {
  return codesOf(error).some((code) => CONFLICTS.has(code));
}

/** SQLSTATE, or code of the client, of an error or of the one that it was made from. */
export function codesOf(error: unknown): string[] {
  return reasonsOf(error).flatMap(({ code, errno, originalCode }) => [code, errno, originalCode].map(String));
}

export interface Reason {
  readonly code?: unknown;
  readonly errno?: unknown;
  /** Of Prisma's driver adapters. */
  readonly originalCode?: unknown;
  readonly message?: unknown;
}

/** ORMs wrap the errors of drivers, each in its own way. */
const WRAPPERS = ['cause', 'driverError', 'parent', 'original', 'originalError', 'meta', 'driverAdapterError'];
const MAX_REASONS = 20;

/** An error and those that it was made from. */
export function reasonsOf(error: unknown): Reason[] {
  const found: Reason[] = [];
  const left = [error];
  while (left.length > 0 && found.length < MAX_REASONS) {
    const each = left.shift();
    if (typeof each !== 'object' || each === null || found.includes(each)) continue;
    // What it was made from is no reason to run anything again.
    if (WebhookError.codeOf(each) === 'ERR_WEBHOOK_OUTCOME_UNKNOWN') continue;
    found.push(each);
    for (const name of WRAPPERS) left.push(Reflect.get(each, name));
  }
  return found;
}

/** An error of one of the store's statements, or an error with the fix. */
export function explained(error: unknown, table: string): unknown {
  const isMissing =
    codesOf(error).some((code) => code === '42P01' || code === '1146') ||
    reasonsOf(error).some(({ message }) => /no such table/.test(String(message)));
  if (!isMissing) return error;
  return storeError(`The table ${table} does not exist. Call migrate() of the store before deliveries arrive.`, error);
}

/** Runs statements, and explains their errors. */
export function explaining(run: Run, table: string): Run {
  return (...statement) =>
    run(...statement).catch((error: unknown) => {
      throw explained(error, table);
    });
}

const CLAIMED: ClaimedKey = {};
const ABANDONED: ClaimedKey = { abandoned: true };

/** Reads rows of keys, and whether each was abandoned. */
export function claimsOf({ rows }: Answer): Map<string, ClaimedKey> {
  return new Map(rows.map(valuesOf).map(([key = '', abandoned]) => [key, abandoned === '1' ? ABANDONED : CLAIMED]));
}

/** The first value of each row. */
export function keysOf({ rows }: Answer): string[] {
  return rows.map((row) => String(Object.values(row)[0]));
}
