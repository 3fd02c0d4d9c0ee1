import { stopwatch } from '../../internal/time.js';
import { storeError } from '../bounded-calls.js';
import { named, storableKey, storableStep } from '../storable.js';
import type { Claimed as ClaimedKey, Run, RunLimit, Step, StoreWord, TransactionalStore } from '../store.js';
import { BUSY_RETRY_MS, sleep } from './busy.js';
import type { RunStatement, SqlDatabase, Transaction, TransactionOptions } from './database.js';
import { type Claimed, type Statements, wordsOf } from './dialect.js';
import {
  answered,
  CONFLICTS,
  commitError,
  explaining,
  FROZEN,
  GIVEN_UP,
  isBusy,
  isConflict,
  late,
  MOST_TRIES,
  REFUSED,
  REPEATED,
} from './errors.js';
import { Leaving, within } from './leaving.js';
import { endedError, Outcome } from './outcome.js';
import { wasCommitted } from './syntax.js';

/** The arguments of `once`. The keys are in stored form, and sorted so that overlapping deliveries do not deadlock. */
interface Work<Tx> {
  readonly keys: readonly string[];
  readonly step: Step;
  readonly run: (claimed: Claimed, tx: Tx) => unknown;
  readonly limit: RunLimit;
}

/** A store whose handlers write in the transaction that records the keys. */
export function transactionalStore<Tx>(
  db: SqlDatabase<Tx>,
  statements: Statements,
  options: TransactionOptions,
): TransactionalStore<Tx> {
  return {
    leaseMs: options.leaseMs,
    async once(names, step, run: Run<Tx>, limit) {
      const preparing = statements.prepare?.((statement) => db.run(statement, options.timeoutMs));
      if (preparing) await answered(preparing, options);
      const work: Work<Tx> = {
        keys: names.map(storableKey).sort(),
        step: storableStep(step),
        run: (claimed, tx) => run(freshOf(names, claimed), tx),
        limit,
      };
      const elapsedMs = stopwatch();
      for (let tries = 1; ; ) {
        const attempt = new Attempt(db, statements, options, work);
        try {
          return named(names, await attempt.result(), 'in-progress');
        } catch (cause) {
          const error = await attempt.failureOf(cause);
          if (attempt.outcome.isLate) throw error;
          if (isBusy(error) && !attempt.outcome.thrown) {
            if (elapsedMs() > options.timeoutMs) throw storeError(late('was not free', options), error);
            await sleep(BUSY_RETRY_MS);
            continue;
          }
          if (!isConflict(error)) throw error;
          if (tries === MOST_TRIES) throw storeError(CONFLICTS, error);
        }
        await sleep(2 ** tries++ * (1 + Math.random()));
      }
    },
  };
}

/** The claimed keys, by idempotency key. */
function freshOf(names: readonly string[], { keys, fencingToken: token }: Claimed): Map<string, ClaimedKey> {
  return named(names, new Map(keys.map((key) => [key, { token }])));
}

/** One transaction: claims the keys, runs the handler, and commits. */
class Attempt<Tx> {
  readonly outcome: Outcome;
  readonly #words = new Map<string, StoreWord>();
  #reject: (error: unknown) => void = ignore;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #transaction: Transaction<Tx> | undefined;
  #claimed: Claimed | undefined;
  #isOver = false;
  /** The error for which the client was told to roll back. */
  #failure: { readonly cause: unknown } | undefined;
  #isCommitting = false;
  #leaving: Leaving | undefined;
  /** Whether the client has ended the transaction. */
  #isOut = false;
  #ended: Promise<void> | undefined;

  constructor(
    private readonly db: SqlDatabase<Tx>,
    private readonly statements: Statements,
    private readonly options: TransactionOptions,
    private readonly work: Work<Tx>,
  ) {
    this.outcome = new Outcome(statements);
  }

  /** Settles when the transaction has ended, or when a part of it takes too long. */
  result(): Promise<ReadonlyMap<string, StoreWord>> {
    return new Promise((resolve, reject) => {
      this.#reject = (error) => {
        this.#isOver = true;
        clearTimeout(this.#timer);
        reject(error);
      };
      this.#limit('opened no transaction');
      // The client may throw synchronously.
      const ended = (async () => this.db.transaction((transaction) => this.#inside(transaction), this.options))();
      // If the client loses the connection while the handler runs, it would run later statements on another connection.
      const end = () => {
        this.#isOut = true;
        this.#transaction?.close?.();
      };
      this.#ended = ended.then(end, end);
      ended
        .then(() => this.#confirm())
        .then(
          () => {
            clearTimeout(this.#timer);
            resolve(this.#words);
          },
          // The client may replace the error if its rollback fails.
          (error: unknown) => this.#reject(this.#isCommitting ? commitError(error) : (this.#failure?.cause ?? error)),
        );
    });
  }

  /** The client reports a commit. */
  async #confirm(): Promise<void> {
    // The handler ended the transaction by a method of the client.
    if (!this.#isCommitting) await Promise.reject(endedError()).catch(this.outcome.note);
    const claimed = this.#claimed as Claimed;
    // Most clients of Postgres report a COMMIT that rolled back as a success.
    const isTold = this.db.dialect !== 'postgres' || this.#transaction?.commit !== undefined;
    if (isTold || claimed.keys.length === 0) return;
    if (!(await wasCommitted(this.#beside, this.statements.syntax, claimed))) throw storeError(REFUSED);
  }

  /** The error to reject with, which depends on the outcome of the transaction. */
  async failureOf(error: unknown): Promise<unknown> {
    const { leaseMs, timeoutMs } = this.options;
    // Until then, a late handler may end the transaction.
    if (this.#leaving) await within(Promise.race([this.#leaving.left, this.#ended]), leaseMs + timeoutMs);
    return this.outcome.failureOf(error, this.#claimed, this.#beside, timeoutMs);
  }

  /** Sets a limit of `timeoutMs` for the next step of the client and the server. */
  #limit(what: string, error?: unknown): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#transaction?.destroy?.();
      // Created only when needed: an error records the stack, which takes time.
      this.#reject(error ?? storeError(late(what, this.options)));
    }, this.options.timeoutMs);
  }

  async #inside(transaction: Transaction<Tx>): Promise<void> {
    // Roll back: the client opened the transaction too late, or is repeating one.
    if (this.#isOver || this.#transaction) {
      this.#failure = { cause: storeError(this.#isOver ? GIVEN_UP : REPEATED) };
      throw this.#failure.cause;
    }
    this.#transaction = transaction;
    const elapsedMs = stopwatch();
    let commit: (() => Promise<void>) | undefined;
    try {
      this.#limit('did not answer');
      const claimed = await this.#claim(transaction);
      clearTimeout(this.#timer);
      if (this.#isOver) throw storeError(GIVEN_UP);
      if (claimed.keys.length > 0) {
        await this.#handle(transaction, claimed, elapsedMs);
        if (this.#isOver || this.#isOut) throw storeError(GIVEN_UP);
        const [send, finish] = [transaction.commit, this.statements.transaction.commit];
        // Checks and commits in one round trip.
        commit = send && finish && (() => finish(send, claimed));
        if (!commit) {
          this.#limit('did not answer');
          await this.statements.transaction.finish(transaction.run, claimed).catch(this.outcome.note);
        }
        if (this.#isOver) throw storeError(GIVEN_UP);
      }
    } catch (error) {
      this.#failure = { cause: error };
      if (!this.#isOver) this.#limit('did not roll back', error);
      await this.#undo(transaction);
      // postgres.js would send ROLLBACK to a closed connection, which ends the process.
      if (this.#isOut && this.db.keepsSession) return new Promise(ignore);
      throw error;
    }
    this.#isCommitting = true;
    this.outcome.commit();
    this.#limit('did not answer, so it is unknown whether the transaction was committed,');
    if (commit) await commit().catch(this.outcome.note);
    else if (this.#claimed?.keys.length) await this.#end(transaction, this.#claimed);
  }

  /** Commits, if the dialect has a statement for it. */
  async #end(transaction: Transaction<Tx>, claimed: Claimed): Promise<void> {
    await this.statements.transaction.end?.(transaction.run, claimed).catch(async (error: unknown) => {
      await this.#undo(transaction);
      throw error;
    });
  }

  /** Claims the free keys, and reads the status of the others. */
  async #claim({ run }: Transaction<Tx>): Promise<Claimed> {
    const { transaction, status, table } = this.statements;
    const { keys, step } = this.work;
    const taken = await transaction.claim(explaining(run, table), keys, crypto.randomUUID(), step);
    const claimed = { ...taken, step };
    this.#claimed = claimed;
    for (const key of claimed.keys) this.#words.set(key, 'handled');
    const others = keys.filter((key) => !this.#words.has(key));
    if (others.length === 0) return claimed;
    for (const [key, word] of wordsOf(await status(run, others), others, step)) this.#words.set(key, word);
    return claimed;
  }

  /** Waits for the handler; after its time is over, until the transaction must end. */
  async #handle(transaction: Transaction<Tx>, claimed: Claimed, elapsedMs: () => number): Promise<void> {
    const { leaseMs } = this.options;
    // A handler gets 0.9 of the lease, so the claim may take 0.1; more if the lease is short.
    const claimMs = Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs));
    let leave: () => void = ignore;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { signal } = this.work.limit;
    const expire = () => {
      if (this.#isOver || this.#isCommitting) return;
      this.outcome.isLate = true;
      this.#reject(signal.reason);
      this.#leaving = new Leaving(transaction, claimed, {
        statements: this.statements.transaction,
        keepsSession: this.db.keepsSession,
        beside: this.#beside,
        timeoutMs: this.options.timeoutMs,
        ask: () => this.outcome.ask(transaction, claimed),
      });
      void this.#leaving.left.then(leave);
    };
    // Checked in the turn that starts the run: the process may have been frozen since the answer to the claim.
    if (elapsedMs() >= claimMs) throw storeError(FROZEN);
    this.outcome.begin();
    signal.addEventListener('abort', expire, { once: true });
    const handling = (async () => this.work.run(claimed, transaction.tx))();
    // The client must not get the transaction back while the handler can still reach it.
    handling.catch(ignore);
    try {
      await Promise.race([handling, left]);
      transaction.close?.(this.work.limit.report);
    } catch (error) {
      transaction.close?.();
      this.outcome.thrown = { cause: error };
      if (!this.#isOver && !this.#isOut) {
        this.#limit('did not answer', error);
        await this.outcome.ask(transaction, claimed);
      }
      throw error;
    }
    if (this.outcome.isLate) throw storeError(GIVEN_UP);
  }

  /** Runs a statement on another connection. */
  readonly #beside: RunStatement = (statement, _timeoutMs, values) =>
    this.db.run(statement, this.options.timeoutMs, values);

  /** Restores the session (locks, settings), which the client's rollback does not. */
  async #undo({ run }: Transaction<Tx>): Promise<void> {
    const { timeoutMs } = this.options;
    if (this.#leaving) await within(this.#leaving.left, timeoutMs);
    this.#leaving?.giveBack();
    const { undo } = this.statements.transaction;
    if (!undo || !this.#claimed || this.#leaving?.endsSession) return;
    await within(undo(run, this.#claimed).catch(this.#discard), timeoutMs);
  }

  /** Closes a connection whose session could not be restored, because the client has ended the transaction. */
  readonly #discard = async (error: unknown): Promise<never> => {
    const terminating = this.statements.transaction.terminate?.(this.#beside, this.#claimed as Claimed);
    await within(terminating, this.options.timeoutMs);
    throw error;
  };
}

function ignore(): void {}
