import type { StoreWord } from '../../../src/index.js';
import { LeaseStore } from './right-stores.js';

// Stores that are correct with one key, but not with several.

type Work = Parameters<LeaseStore['work']>[2];

/** One idempotency key for a whole delivery: if one event is a duplicate, all are. */
export class AnswersOneWordForAll extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    const done = await this.server.call(() => keys.some((key) => this.server.find(key)?.isDone));
    return done ? keys.map(() => 'duplicate') : super.onceEach(keys, run);
  }
}

/** Sorts the keys to avoid deadlocks, and answers in the sorted order. */
export class AnswersInSortedOrder extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach([...keys].sort(), run);
  }
}

/** Passes all keys of the delivery to the handler, not only those it has claimed. */
export class RunsWithAllKeys extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach(keys, (_fresh, tx) => run(keys, tx));
  }
}

/** Passes the names of its rows to the handler instead of the keys. */
export class RunsWithRowNames extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach(keys, (fresh, tx) =>
      run(
        fresh.map((key) => `webhook:${key}`),
        tx,
      ),
    );
  }
}

/** Calls the run once for each key. */
export class RunsOncePerKey extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    const words: StoreWord[] = [];
    for (const key of keys) words.push(...(await super.onceEach([key], run)));
    return words;
  }
}

/** Ignores the `UnprocessedItems` of a batch write. */
export class RecordsTwentyFive extends LeaseStore {
  override async complete(keys: readonly string[], owner: string) {
    return super.complete(keys.slice(0, 25), owner);
  }
}

/** Frees only the first key of a failed run. */
export class FreesTheFirstKey extends LeaseStore {
  override async release(keys: readonly string[], owner: string) {
    await super.release(keys.slice(0, 1), owner);
  }
}

/** Frees the keys of a failed delivery that took effect before. */
export class FreesRecordedKeys extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach(keys, run).catch(async (error) => {
      await this.server.call(() => {
        for (const key of keys) if (this.server.rows.get(key)?.isDone) this.server.rows.delete(key);
      });
      throw error;
    });
  }
}

/** Frees the keys of a failed delivery that others have claimed. */
export class FreesClaimedKeys extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return super.onceEach(keys, run).catch(async (error) => {
      await this.server.call(() => {
        for (const key of keys) if (!this.server.rows.get(key)?.isDone) this.server.rows.delete(key);
      });
      throw error;
    });
  }
}

/** Gives up at the first key that another run has claimed, and keeps the keys it has claimed so far. */
export class KeepsKeysWhenOneIsHeld extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    const owner = crypto.randomUUID();
    const words: StoreWord[] = [];
    for (const key of keys) {
      const [word] = await this.claim([key], owner);
      if (word === 'in-progress') return keys.map(() => 'in-progress');
      words.push(word as StoreWord);
    }
    const fresh = keys.filter((_, index) => words[index] === 'handled');
    if (fresh.length > 0) {
      await this.work(fresh, owner, run);
      await this.record(fresh, owner);
    }
    return words;
  }
}

/** Waits for a claimed key while it has claimed others itself, like `SELECT … FOR UPDATE` in the order of the delivery. */
export class WaitsForHeldKeys extends LeaseStore {
  override async claim(keys: readonly string[], owner: string): Promise<StoreWord[]> {
    const words: StoreWord[] = [];
    for (const key of keys) {
      let [word] = await super.claim([key], owner);
      while (word === 'in-progress') {
        await new Promise((resolve) => setTimeout(resolve, 5));
        [word] = await super.claim([key], owner);
      }
      words.push(word as StoreWord);
    }
    return words;
  }
}

/** Calls the run even if it has claimed no key. */
export class RunsWithoutKeys extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    let isRun = false;
    const words = await super.onceEach(keys, (fresh, tx) => {
      isRun = true;
      return run(fresh, tx);
    });
    if (!isRun) await run([], undefined);
    return words;
  }
}

/** Leaves keys that another run has claimed out of the answer. */
export class LeavesHeldKeysOut extends LeaseStore {
  override async onceEach(keys: readonly string[], run: Work): Promise<StoreWord[]> {
    return (await super.onceEach(keys, run)).filter((word) => word !== 'in-progress');
  }
}
