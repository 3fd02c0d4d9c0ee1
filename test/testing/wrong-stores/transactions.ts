import type { StoreWord } from '../../../src/index.js';
import { TransactionalStore } from './right-stores.js';
import { Transaction } from './server.js';

// Transactional stores whose key and effect do not commit together.

type Work = Parameters<TransactionalStore['work']>[2];

/** Ignores the timeout: the transaction commits although the event was answered as failed. */
export class CommitsAfterTheTimeout extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    await run(fresh, tx);
  }
}

/** Rolls back after a timeout, but only when the handler settles. */
export class RollsBackWhenTheRunSettles extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    let timedOut: Error | undefined;
    await run(fresh, tx, {
      onTimeout: (error) => {
        timedOut = error;
      },
    });
    if (timedOut) throw timedOut;
  }
}

/** Gives the handler another connection than that of the transaction. */
export class WritesOutsideTheTransaction extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    const outside = new Transaction(this.server);
    const write = async (id: string) => void this.server.effects.push(id);
    await super.work(fresh, tx, (keys, _tx, options) => run(keys, Object.assign(outside, { write }), options));
  }
}

/** Commits the key first, in a separate transaction. */
export class CommitsTheKeyBeforeTheEffect extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    const until = this.server.now + this.retentionMs;
    for (const name of fresh) this.server.rows.set(name, { owner: '', isDone: true, until });
    await super.work(fresh, tx, run);
  }
}

/** Gives the handler a transaction that is never committed. */
export class CommitsTheKeyAlone extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    await super.work(fresh, tx, (keys, _tx, options) => run(keys, new Transaction(this.server), options));
  }
}

/** Commits the effects without the key. */
export class CommitsTheEffectAlone extends TransactionalStore {
  override async commit(tx: Transaction) {
    tx.unlock();
    await super.commit(tx);
  }
}

/** Does not await the commit, which may fail after the event was answered as handled. */
export class DoesNotWaitForTheCommit extends TransactionalStore {
  override async commit(tx: Transaction) {
    super.commit(tx).catch(() => {});
  }
}

/** Commits in `finally`: also what a run wrote before it failed. */
export class CommitsFailedRuns extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    try {
      await super.work(fresh, tx, run);
    } catch (error) {
      tx.unlock();
      if (!tx.isOver) await this.commit(tx);
      throw error;
    }
  }
}

/** Lets the handler write after the rollback, on a connection that another transaction may use by then. */
export class LeavesTheTransactionUsable extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    await super.work(fresh, tx, (keys, transaction, options) => {
      const write = async (id: string) =>
        transaction.isOver ? void this.server.effects.push(id) : Transaction.prototype.write.call(transaction, id);
      return run(keys, Object.assign(transaction, { write }), options);
    });
  }
}

/** Frees the keys of a late handler once it has settled, even if another run has them by then. */
export class FreesKeysOfLateRuns extends TransactionalStore {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    await super.work(fresh, tx, (...args) => run(...args).finally(() => void this.free(fresh, tx)));
  }

  /** Answers nobody: the call has failed before. */
  async free(names: readonly string[], tx: Transaction) {
    if (!tx.isOver) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const name of names) this.server.rows.delete(name);
  }
}

/** As above, for a late handler that fails. */
export class FreesKeysOfFailedLateRuns extends FreesKeysOfLateRuns {
  override async work(fresh: readonly string[], tx: Transaction, run: Work) {
    await TransactionalStore.prototype.work.call(this, fresh, tx, (...args) =>
      run(...args).catch((error) => {
        void this.free(fresh, tx);
        throw error;
      }),
    );
  }
}

/** Deletes the keys of a failed run outside its transaction, which has rolled them back already. */
export class DeletesKeysOfFailedRuns extends TransactionalStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach(keys, run).catch((error) => {
      for (const key of keys) this.server.rows.delete(key);
      throw error;
    });
  }
}
