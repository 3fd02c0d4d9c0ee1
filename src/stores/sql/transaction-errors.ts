import { isWebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import { isBusy } from './busy.js';
import { codesOf, isConflict } from './dialect.js';

/** How often a transaction is run after serialization failures and deadlocks. */
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

export const GIVEN_UP = 'The transaction of this event was given up, because its time was over.';
export const REPEATED =
  'The client called the transaction a second time by itself. Turn its own retries off: the store runs transactions again after conflicts.';
export const FROZEN =
  'Claiming the key took so long that the handler could outlive its lease, so it was not started. The process was frozen, or leaseMs is too short.';
export const CONFLICTS = `Concurrent transactions made this one fail ${MOST_TRIES} times, so it was rolled back. A redelivery tries again.`;
export const REFUSED =
  'The database refused to commit, so the transaction was rolled back. A statement of the handler may have failed unseen: let the handler await them all, and reject.';
const UNKNOWN =
  'The connection failed, so it is unknown whether the transaction was committed. A redelivery resolves this.';
