import { TransactionalStore, transactions } from './right-stores.js';
import { Transaction } from './server.js';

// Transactional stores whose key and effect do not commit together.

/** Ignores the timeout: the transaction commits although the event was answered as failed. */
export const CommitsAfterTheTimeout = transactions(() => ({ work: (fresh, tx, run) => run(fresh, tx) }));

/** Rolls back after a timeout, but only when the handler settles. */
export const RollsBackWhenTheRunSettles = transactions(() => ({
  async work(fresh, tx, run) {
    let timedOut: Error | undefined;
    await run(fresh, tx, {
      onTimeout: (error) => {
        timedOut = error;
      },
    });
    if (timedOut) throw timedOut;
  },
}));

/** Gives the handler another connection than that of the transaction. */
export const WritesOutsideTheTransaction = transactions((right) => ({
  work(fresh, tx, run) {
    const write = async (id: string) => void right.server.effects.push(id);
    const outside = Object.assign(new Transaction(right.server), { write });
    return right.work(fresh, tx, (keys, _tx, options) => run(keys, outside, options));
  },
}));

/** Commits the key first, in a separate transaction. */
export const CommitsTheKeyBeforeTheEffect = transactions((right) => ({
  work(fresh, tx, run) {
    const { rows, now } = right.server;
    for (const name of fresh) rows.set(name, { owner: '', isDone: true, until: now + right.retentionMs });
    return right.work(fresh, tx, run);
  },
}));

/** Gives the handler a transaction that is never committed. */
export const CommitsTheKeyAlone = transactions((right) => ({
  work: (fresh, tx, run) =>
    right.work(fresh, tx, (keys, _tx, options) => run(keys, new Transaction(right.server), options)),
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

/** Commits in `finally`: also what a run wrote before it failed. */
export const CommitsFailedRuns = transactions((right) => ({
  work: (fresh, tx, run) =>
    right.work(fresh, tx, run).catch(async (error) => {
      tx.unlock();
      if (!tx.isOver) await right.commit(tx);
      throw error;
    }),
}));

/** Lets the handler write after the rollback, on a connection that another transaction may use by then. */
export const LeavesTheTransactionUsable = transactions((right) => ({
  work: (fresh, tx, run) =>
    right.work(fresh, tx, (keys, transaction, options) => {
      const write = async (id: string) =>
        transaction.isOver ? void right.server.effects.push(id) : Transaction.prototype.write.call(transaction, id);
      return run(keys, Object.assign(transaction, { write }), options);
    }),
}));

/** Frees the keys of a late handler, or only of one that fails, once it has settled, even if another run has them by then. */
const freeingLate = (isFailed: boolean) =>
  transactions((right) => ({
    work(fresh, tx, run) {
      // Answers nobody: the call has failed before.
      async function free() {
        if (!tx.isOver) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (const name of fresh) right.server.rows.delete(name);
      }
      return right.work(fresh, tx, (...args) => {
        const running = run(...args);
        running.then(() => (isFailed ? undefined : free()), free);
        return running;
      });
    },
  }));

export const FreesKeysOfLateRuns = freeingLate(false);
export const FreesKeysOfFailedLateRuns = freeingLate(true);

/** Deletes the keys of a failed run outside its transaction, which has rolled them back already. */
export class DeletesKeysOfFailedRuns extends TransactionalStore {
  override async onceEach(...[keys, run]: Parameters<TransactionalStore['onceEach']>) {
    return super.onceEach(keys, run).catch((error) => {
      for (const key of keys) this.server.rows.delete(key);
      throw error;
    });
  }
}
