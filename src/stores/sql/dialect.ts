import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import type { Answer, IsolationLevel, Run, Transaction } from './database.js';

/** What is known of a key that could not be claimed. `unknown`: its row is open, and its transaction has ended. */
export type Status = 'duplicate' | 'in-progress' | 'unknown';

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

  /** Of the keys that took effect, are claimed, or are open: which. */
  status(run: Run, keys: readonly string[]): Promise<ReadonlyMap<string, Status>>;
  /** Gives the keys that nobody has to `owner`, each with a fencing token where the database has one. */
  claim(run: Run, keys: readonly string[], owner: string): Promise<ReadonlyMap<string, bigint | undefined>>;
  /** Records that the keys took effect. Resolves to those of `owner` or of nobody. */
  complete(run: Run, keys: readonly string[], owner: string): Promise<ReadonlySet<string>>;
  release(run: Run, keys: readonly string[], owner: string): Promise<unknown>;

  readonly transaction: TransactionStatements;
}

export interface TransactionStatements {
  /** Claims the keys in an open transaction. Their rows are `open`. */
  claim(run: Run, keys: readonly string[], owner: string): Promise<Claimed>;
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
  /** Runs beside it, when it is over: leaves the keys open that have no row, as those have that were committed. */
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

/** The first value of each row. */
export function keysOf({ rows }: Answer): string[] {
  return rows.map((row) => String(Object.values(row)[0]));
}
