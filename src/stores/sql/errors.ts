import { isWebhookError, WebhookError } from '../../errors.js';
import { withDeadline } from '../../internal/time.js';
import { storeError } from '../bounded-calls.js';
import type { RunStatement } from './database.js';

/** Codes with which clients report that a statement failed because of a concurrent transaction. */
const CONFLICT_CODES = new Set(['40001', '40P01', 'P2034', 'ER_LOCK_DEADLOCK', 'ER_CHECKREAD', '1213', '1020']);

/**
 * Whether an error, or one of its causes, is a serialization failure or a deadlock: the same transaction may succeed
 * when it is run again.
 */
export function isConflict(error: unknown): boolean {
  return codesOf(error).some((code) => CONFLICT_CODES.has(code));
}

/** Repeats a statement after conflicts: it changed nothing. */
export async function unlessConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
    }
  }
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

/** The error of a statement of the store, with the fix where one is known. */
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

/** Whether another connection is writing to the SQLite file. The clients have only the message in common. */
export function isBusy(error: unknown): boolean {
  return reasonsOf(error).some(({ code, message }) =>
    /SQLITE_BUSY|SQLITE_LOCKED|(database|table) .{0,80}is locked/.test(`${code} ${message}`),
  );
}

/** How often a transaction or a statement is run after serialization failures and deadlocks. */
export const MOST_TRIES = 5;

const SQLSTATE = /^[0-9A-Z]{2}[0-9A-Z]{3}$/;
/** Codes of a failed connection, of a server that shuts down, and of the clients Prisma and mariadb. */
const UNCLEAR = /^(08|40003|45|57|58|XX|P[12]\d{3})/;

/** Explains a failed commit. */
export function commitError(cause: unknown): unknown {
  if (isWebhookError(cause) || isConflict(cause) || isBusy(cause)) return cause;
  const codes = codesOf(cause);
  const isAnswer = codes.some((code) => SQLSTATE.test(code)) && !codes.some((code) => UNCLEAR.test(code));
  return storeError(isAnswer ? REFUSED : UNKNOWN, cause);
}

/** Whether a statement was refused because an earlier one of its transaction has failed. */
export function isAborted(error: unknown): boolean {
  return codesOf(error).includes('25P02');
}

export function late(what: string, { timeoutMs }: { readonly timeoutMs: number }): string {
  return `The database ${what} within ${timeoutMs} ms (timeoutMs).`;
}

/** Settles like `work`, or rejects after `timeoutMs`. */
export function answered<T>(work: Promise<T>, limit: { readonly timeoutMs: number }): Promise<T> {
  return withDeadline(work, limit.timeoutMs, () => storeError(late('did not answer', limit)));
}

export const GIVEN_UP = 'The transaction of this event was rolled back because it exceeded its time limit.';
export const REPEATED =
  'The client retried the transaction. Turn off its retries: the store runs a transaction again after a conflict.';
export const FROZEN =
  'Claiming the key took so long that the handler could outlive its lease, so it was not started. The process was frozen, or leaseMs is too short.';
export const CONFLICTS = `Concurrent transactions made this one fail ${MOST_TRIES} times, so it was rolled back. A redelivery tries again.`;
export const REFUSED =
  'The database refused to commit, so the transaction was rolled back. A statement of the handler may have failed without being awaited. Await every statement, and let its error reject the handler.';
const UNKNOWN =
  'The connection failed, so it is unknown whether the transaction was committed. A redelivery resolves this.';
