import type { ServerPart } from './run.js';
import type { Transaction } from './transaction.js';

/** What a session uses of its server. */
export interface Host extends ServerPart {
  readonly commits: number;
  /** A clock that nobody sets, in ms. */
  monotonic(): number;
  /** Runs it, and then all that it has made possible. */
  enter(act: () => void): void;
  soon(act: () => void): void;
  end(transaction: Transaction, isCommitted: boolean): void;
  /** Frees the advisory locks of a transaction after the first few. */
  unlock(transaction: Transaction, kept: number): void;
  isDeadlocked(pid: number): boolean;
  left(pid: number): void;
}
