import { overError } from './transaction.js';

export class TransactionState {
  /** The handler is done, or out of time. */
  over = false;
  /** The transaction has ended, or its connection was lost. */
  closed = false;
  /** What the handler's queries failed with. */
  readonly failures = new Set<unknown>();

  /** Never resolves; rejects with what `begin` did. */
  readonly lost: Promise<never>;

  constructor(ended: Promise<unknown>) {
    const close = () => {
      this.closed = true;
    };
    ended.then(close, close);
    this.lost = new Promise((_, reject) => ended.catch(reject));
    this.lost.catch(() => {});
  }

  /** Why no query may run any more. */
  get refusal(): Error | undefined {
    return this.over || this.closed ? overError() : undefined;
  }
}

/** Until it is known that a connection was lost, if it was: that is said two turns after its query failed. */
export async function turn(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
}
