import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import type { Claimed as ClaimedKey, Failed, Failure, LetterStore, Step, StoredLetter } from '../store.js';
import { type Answer, type IsolationLevel, type RunStatement, type Transaction, valuesOf } from './database.js';
import type { LogStatements } from './log-statements.js';
import type { RecordStatements } from './records.js';

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
    // The key is free but the step needs a dead letter or a log, or the other way round.
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
  readonly letters: LetterStatements;
  readonly logs: LogStatements;
  readonly records: RecordStatements;
}

/** The statements for failures and dead letters. Like {@link LetterStore}, with keys and texts in stored form. */
export interface LetterStatements {
  fail(run: RunStatement, key: string, failure: Failure): Promise<Failed | undefined>;
  look(run: RunStatement, keys: readonly string[]): Promise<ReadonlyMap<string, StoredLetter>>;
  list(run: RunStatement, page: Parameters<LetterStore['list']>[0]): Promise<ReadonlyMap<string, StoredLetter>>;
  discard(run: RunStatement, keys: readonly string[]): Promise<ReadonlySet<string>>;
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
  /** Runs on another connection after the transaction. Resolves to whether it was committed. */
  look(run: RunStatement, claimed: Claimed): Promise<boolean>;
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

/** Codes with which clients report that a statement failed because of a concurrent transaction. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034', 'ER_LOCK_DEADLOCK', 'ER_CHECKREAD', '1213', '1020']);

/**
 * Whether an error, or one of its causes, is a serialization failure or a deadlock: the same transaction may succeed
 * when it is run again.
 */
export function isConflict(error: unknown): boolean {
  return codesOf(error).some((code) => CONFLICTS.has(code));
}

/** SQLSTATEs or client codes of an error and its causes. */
export function codesOf(error: unknown): string[] {
  return reasonsOf(error).flatMap(({ code, errno, originalCode }) => [code, errno, originalCode].map(String));
}

export interface Reason {
  readonly code?: unknown;
  readonly errno?: unknown;
  /** Set by Prisma's driver adapters. */
  readonly originalCode?: unknown;
  readonly message?: unknown;
}

/** Properties in which ORMs keep the error of a driver. */
const WRAPPERS = ['cause', 'driverError', 'parent', 'original', 'originalError', 'meta', 'driverAdapterError'];
const MAX_REASONS = 20;

/** An error and its causes. */
export function reasonsOf(error: unknown): Reason[] {
  const found: Reason[] = [];
  const left = [error];
  while (left.length > 0 && found.length < MAX_REASONS) {
    const each = left.shift();
    if (typeof each !== 'object' || each === null || found.includes(each)) continue;
    // The causes of this error must not lead to a retry.
    if (WebhookError.codeOf(each) === 'ERR_WEBHOOK_OUTCOME_UNKNOWN') continue;
    found.push(each);
    for (const name of WRAPPERS) left.push(Reflect.get(each, name));
  }
  return found;
}

/** The error of one of the store's statements; for some errors one with the fix. */
export function explained(error: unknown, table: string): unknown {
  const isMissing =
    codesOf(error).some((code) => code === '42P01' || code === '1146') ||
    reasonsOf(error).some(({ message }) => /no such table/.test(String(message)));
  if (!isMissing) return error;
  return storeError(`The table ${table} does not exist. Call migrate() of the store before deliveries arrive.`, error);
}

/** Wraps `run` so that errors are explained. */
export function explaining(run: RunStatement, table: string): RunStatement {
  return (...statement) =>
    run(...statement).catch((error: unknown) => {
      throw explained(error, table);
    });
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
