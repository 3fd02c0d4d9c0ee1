import type { StoreWord } from '../../../src/stores/store.js';
import { leases } from './right-stores.js';

// Stores that are correct with one key, but not with several.

/** One idempotency key for a whole delivery: if one event is a duplicate, all are. */
export const AnswersOneWordForAll = leases((right) => ({
  async onceEach(keys, run) {
    const done = await right.server.call(() => keys.some((key) => right.server.find(key)?.isDone));
    return done ? keys.map((): StoreWord => 'duplicate') : right.onceEach(keys, run);
  },
}));

/** Sorts the keys to avoid deadlocks, and answers in the sorted order. */
export const AnswersInSortedOrder = leases((right) => ({
  onceEach: (keys, run) => right.onceEach([...keys].sort(), run),
}));

/** Passes all keys of the delivery to the handler, not only those it has claimed. */
export const RunsWithAllKeys = leases((right) => ({
  onceEach: (keys, run) => right.onceEach(keys, (_fresh, tx) => run(keys, tx)),
}));

/** Passes the names of its rows to the handler instead of the keys. */
export const RunsWithRowNames = leases((right) => ({
  onceEach: (keys, run) =>
    right.onceEach(keys, (fresh, tx) => {
      const names = fresh.map((key) => `webhook:${key}`);
      return run(names, tx);
    }),
}));

/** Calls no run, or one without the first key. */
export const RunsNoneOfSeveral = leases(() => ({ onceEach: async (keys) => keys.map((): StoreWord => 'handled') }));
export const RunsWithFewerKeys = leases((right) => ({
  onceEach: (keys, run) => right.onceEach(keys, (fresh, tx) => run(fresh.slice(1), tx)),
}));

/** Calls the run once for each key. */
export const RunsOncePerKey = leases((right) => ({
  async onceEach(keys, run) {
    const words: StoreWord[] = [];
    for (const key of keys) words.push(...(await right.onceEach([key], run)));
    return words;
  },
}));

/** Ignores the `UnprocessedItems` of a batch write. */
export const RecordsTwentyFive = leases((right) => ({
  complete: (keys, owner) => right.complete(keys.slice(0, 25), owner),
}));

/** Frees only the first key of a failed run. */
export const FreesTheFirstKey = leases((right) => ({
  release: (keys, owner) => right.release(keys.slice(0, 1), owner),
}));

/** Frees keys of a failed delivery that it has not claimed: those that are recorded, or that others hold. */
const freeing = (isDone: boolean) =>
  leases((right) => ({
    onceEach: (keys, run) =>
      right.onceEach(keys, run).catch(async (error) => {
        const { rows } = right.server;
        await right.server.call(() => {
          for (const key of keys) if ((rows.get(key)?.isDone ?? false) === isDone) rows.delete(key);
        });
        throw error;
      }),
  }));

export const FreesRecordedKeys = freeing(true);
export const FreesClaimedKeys = freeing(false);

/** Gives up at the first key that another run has claimed, and keeps the keys it has claimed so far. */
export const KeepsKeysWhenOneIsHeld = leases((right) => ({
  async onceEach(keys, run) {
    const owner = crypto.randomUUID();
    const words: StoreWord[] = [];
    for (const key of keys) {
      const [word] = await right.claim([key], owner);
      if (word === 'in-progress') return keys.map((): StoreWord => 'in-progress');
      words.push(word as StoreWord);
    }
    const fresh = keys.filter((_, index) => words[index] === 'handled');
    if (fresh.length > 0) {
      await right.work(fresh, owner, run);
      await right.record(fresh, owner);
    }
    return words;
  },
}));

/** Waits for a claimed key while it has claimed others itself, like `SELECT … FOR UPDATE` in the order of the delivery. */
export const WaitsForHeldKeys = leases((right) => ({
  async claim(keys, owner) {
    const words: StoreWord[] = [];
    for (const key of keys) {
      let [word] = await right.claim([key], owner);
      while (word === 'in-progress') {
        await new Promise((resolve) => setTimeout(resolve, 5));
        [word] = await right.claim([key], owner);
      }
      words.push(word as StoreWord);
    }
    return words;
  },
}));

/** Calls the run even if it has claimed no key. */
export const RunsWithoutKeys = leases((right) => ({
  async onceEach(keys, run) {
    let isRun = false;
    const words = await right.onceEach(keys, (fresh, tx) => {
      isRun = true;
      return run(fresh, tx);
    });
    if (!isRun) await run([], undefined);
    return words;
  },
}));

/** Leaves keys that another run has claimed out of the answer. */
export const LeavesHeldKeysOut = leases((right) => ({
  onceEach: async (keys, run) => (await right.onceEach(keys, run)).filter((word) => word !== 'in-progress'),
}));
