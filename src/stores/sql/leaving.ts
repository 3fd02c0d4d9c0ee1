import type { RunStatement, Transaction } from './database.js';
import type { Claimed, TransactionStatements } from './dialect.js';
import { isAborted } from './errors.js';

/** How long to wait for a running statement of a late handler before its transaction is ended, in ms. */
const UNDER_WAY_MS = 100;

/** The functions and settings of the store that {@link Leaving} uses. */
interface Surroundings {
  readonly statements: TransactionStatements;
  readonly keepsSession: boolean | undefined;
  /** Runs a statement on another connection. */
  readonly beside: RunStatement;
  readonly timeoutMs: number;
  /** Asks in the transaction whether it is the one that claimed the keys. Never rejects. */
  ask(): Promise<void>;
}

/** Ends the transaction of a late handler in the server, and frees its keys. */
export class Leaving {
  /** Resolves once the handler cannot reach the transaction; never if no statement nor `destroy` ensures that. */
  readonly left: Promise<void>;
  /** Whether the session of the transaction is ended, too. */
  readonly endsSession: boolean;
  #isGivenBack = false;

  constructor(
    private readonly transaction: Transaction,
    private readonly claimed: Claimed,
    private readonly around: Surroundings,
  ) {
    const { spoil, leave } = around.statements;
    this.endsSession = leave !== undefined && !(around.keepsSession && spoil);
    this.left = this.#leave();
  }

  /** Marks the transaction as returned to the client, so that no further statement is sent in it. */
  giveBack(): void {
    this.#isGivenBack = true;
  }

  async #leave(): Promise<void> {
    const { run, close, destroy } = this.transaction;
    const { statements, beside, timeoutMs, ask } = this.around;
    close?.();
    const end = this.endsSession ? statements.leave : statements.spoil;
    const inside = ask().then(() => this.#isGivenBack || end?.(run, this.claimed));
    // A session cannot be ended from within a transaction that has failed.
    const isOut = inside.then(yes, (error: unknown) => !this.endsSession || !isAborted(error));
    if ((await within(isOut, UNDER_WAY_MS)) && (await isOut)) return destroy?.();
    if (!this.endsSession) {
      // A statement of the handler is running. Not awaited: the pool may have only this connection.
      statements.cancel?.(beside, this.claimed).catch(ignore);
      await isOut;
      return;
    }
    const ended = Promise.any([
      isOut.then((is) => is || Promise.reject()),
      statements.terminate?.(beside, this.claimed) ?? Promise.reject(),
    ]).then(ignore, () => new Promise<void>(ignore));
    if (!destroy) return ended;
    // Statements in progress should fail first: some clients never settle them after closing a connection.
    await within(
      ended.then(() => isOut),
      timeoutMs,
    );
    destroy();
  }
}

const yes = () => true;

/** Waits until `work` settles, for at most `ms`. Clears its timer, which would keep the process alive. */
export async function within(work: Promise<unknown> | undefined, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const hasSettled = await Promise.race([Promise.resolve(work).then(yes, yes), isOver]);
  clearTimeout(timer);
  return hasSettled;
}

function ignore(): void {}
