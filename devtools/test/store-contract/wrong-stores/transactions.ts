import { RightTransactionalStore, transactions } from './right-stores.js';
import { Transaction } from './server.js';

// Transactional stores whose key and effect do not commit together.

/** Ignores the signal: the transaction commits although the event was answered as failed. */
export const CommitsAfterTheTimeout = transactions(() => ({ work: async (fresh, tx, run) => run(fresh, tx) }));

/** Rolls back after a timeout, but only when the handler settles. */
export const RollsBackWhenTheRunSettles = transactions(() => ({
  async work(fresh, tx, run, { signal }) {
    await run(fresh, tx);
    signal.throwIfAborted();
  },
}));

/** Rejects when the signal is aborted, and rolls back only when the handler settles. */
export const KeepsTheTransactionOpen = transactions((right) => ({
  once: (keys, step, run, limit) =>
    new Promise((resolve, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason));
      const endless = { signal: new AbortController().signal, deadline: limit.deadline };
      const running: typeof run = async (...args) => {
        await run(...args);
        limit.signal.throwIfAborted();
      };
      right.once(keys, step, running, endless).then(resolve, reject);
    }),
}));

/** Gives the handler another connection than that of the transaction. */
export const WritesOutsideTheTransaction = transactions((right) => ({
  work(fresh, tx, run, limit) {
    const write = async (id: string) => void right.server.effects.push(id);
    const outside = Object.assign(new Transaction(right.server), { write });
    return right.work(fresh, tx, (keys) => run(keys, outside), limit);
  },
}));

/** Gives the handler a transaction that is never committed. */
export const CommitsTheKeyAlone = transactions((right) => ({
  work: (fresh, tx, run, limit) => right.work(fresh, tx, (keys) => run(keys, new Transaction(right.server)), limit),
}));

/** Commits the effects without the key. */
export const CommitsTheEffectAlone = transactions((right) => ({
  commit(tx) {
    tx.unlock();
    return right.commit(tx);
  },
}));

/** Does not await the commit, which may fail after the event was answered as handled. */
export const DoesNotWaitForTheCommit = transactions((right) => ({
  async commit(tx) {
    right.commit(tx).catch(() => {});
  },
}));

/** Frees the keys of a late handler, or only of one that fails, once it has settled, even if another run has them by then. */
const freeingLate = (isFailed: boolean) =>
  transactions((right) => ({
    work(fresh, tx, run, limit) {
      // Answers nobody: the call has failed before.
      async function free() {
        if (!tx.isOver) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (const name of fresh.keys()) right.server.rows.delete(name);
      }
      const running: typeof run = async (...args) => {
        try {
          await run(...args);
        } catch (error) {
          void free();
          throw error;
        }
        if (!isFailed) void free();
      };
      return right.work(fresh, tx, running, limit);
    },
  }));

export const FreesKeysOfLateRuns = freeingLate(false);
export const FreesKeysOfFailedLateRuns = freeingLate(true);

/** Undoes the key when the signal is aborted, although the transaction was committed before. */
export const UndoesCommits = transactions((right) => ({
  work(fresh, tx, run, limit) {
    limit.signal.addEventListener('abort', () => {
      for (const name of fresh.keys()) right.server.rows.delete(name);
    });
    return right.work(fresh, tx, run, limit);
  },
}));

/** Deletes the keys of a failed run outside its transaction, which has rolled them back already. */
export class DeletesKeysOfFailedRuns extends RightTransactionalStore {
  override async once(...[keys, ...rest]: Parameters<RightTransactionalStore['once']>) {
    return super.once(keys, ...rest).catch((error) => {
      for (const key of keys) this.server.rows.delete(key);
      throw error;
    });
  }
}
