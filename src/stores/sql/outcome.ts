import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import type { RunStatement, Transaction } from './database.js';
import type { Claimed, Statements } from './dialect.js';
import { answered, isAborted } from './errors.js';
import { wasCommitted } from './syntax.js';

const CODE = 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
/** Maximum number of keys that a message names. */
const MOST_NAMED = 20;

/** The error of a statement that finds the transaction ended. */
export function endedError(cause?: unknown): WebhookError {
  return new WebhookError(CODE, ENDED, { cause });
}

export function isEnded(error: unknown): boolean {
  return WebhookError.codeOf(error) === CODE;
}

/** The outcome of a transaction that a handler had. Only the database determines it, never the handler's error. */
export class Outcome {
  /** What the handler threw, if it did. */
  thrown: { readonly cause: unknown } | undefined;
  /** Whether the handler's time was over. */
  isLate = false;
  /**
   * `undone`: the transaction that claimed the keys was open, and the store does not commit it. `ended`: the handler
   * ended it. `unclear`: the server may have ended it. Undefined before the handler starts, and once the store commits.
   */
  #fate: 'undone' | 'ended' | 'unclear' | undefined;

  constructor(private readonly statements: Statements) {}

  /** Called before the handler gets the transaction. */
  begin(): void {
    this.#fate = 'unclear';
  }

  /** Called before the store commits. If the answer to the commit is lost, a redelivery checks the rows. */
  commit(): void {
    this.#fate = undefined;
  }

  /**
   * Called when a check has shown that the transaction is still the one that claimed the keys, and the handler can no
   * longer end it.
   */
  undone(): void {
    this.#fate = 'undone';
  }

  /** Notes the error of a failed check or commit, and rethrows it. */
  readonly note = (error: unknown): never => {
    this.#hear(error);
    // The error may come from a later transaction that the handler began.
    if (isAborted(error)) this.#fate = 'unclear';
    throw error;
  };

  /** Runs the check in the transaction, before a rollback. */
  async ask({ run, close }: Pick<Transaction, 'run' | 'close'>, claimed: Claimed): Promise<void> {
    try {
      await this.statements.transaction.check(run, claimed);
      if (close) this.undone();
    } catch (error) {
      this.#hear(error);
    }
  }

  /** Like `ask`, with a synchronous check. */
  askNow(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#hear(error);
    }
  }

  #hear(error: unknown): void {
    if (!isEnded(error)) return;
    const { isRollback, conflictsEnd } = this.statements.transaction;
    // The server may have ended the transaction. Then the rows show what was kept.
    const isServers = isRollback?.(this.thrown?.cause) || conflictsEnd;
    this.#fate = isServers ? 'unclear' : 'ended';
  }

  /**
   * Returns the error to reject with: `error` if the database confirms that nothing was kept. Otherwise leaves the keys
   * open, so that nothing runs again.
   *
   * @param beside Runs a statement on another connection; the transaction is over.
   */
  async failureOf(
    error: unknown,
    claimed: Claimed | undefined,
    beside: RunStatement,
    timeoutMs: number,
  ): Promise<unknown> {
    if (this.#fate === undefined || this.#fate === 'undone' || claimed === undefined) return error;
    const { syntax, transaction } = this.statements;
    const unknown = (why: string) => new WebhookError(CODE, `${why} Keys: ${named(claimed.keys)}.`, this.thrown ?? {});
    if (this.#fate === 'ended') {
      await answered(transaction.leaveOpen(beside, claimed), { timeoutMs }).catch(ignore);
      return unknown(ENDED);
    }
    try {
      if (await answered(wasCommitted(beside, syntax, claimed), { timeoutMs })) return unknown(ENDED);
      return isEnded(error) ? storeError(GONE, error) : error;
    } catch {
      return (this.thrown && !this.isLate) || isEnded(error) ? unknown(UNANSWERED) : error;
    }
  }
}

function named(keys: readonly string[]): string {
  const more = keys.length - MOST_NAMED;
  return keys.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const ENDED =
  'The handler ended the transaction of context.tx itself, so its effects may be incomplete. It does not run again: look at its effects, then settle the rows of its keys. Leave BEGIN, COMMIT and ROLLBACK, and statements that commit, to the store.';
const UNANSWERED =
  'The handler failed or ended its transaction, and the database did not confirm whether anything was committed. The next redelivery checks again.';
const GONE =
  'The transaction was rolled back before its commit, by a deadlock that the handler ignored or by the handler itself, and nothing was kept. Let the handler reject, and leave ROLLBACK to the store.';

function ignore(): void {}
