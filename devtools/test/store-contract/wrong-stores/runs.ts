import { transactions } from './right-stores.js';
import { Transaction } from './server.js';

// Transactional stores that call the run at the wrong time, or pass on what it did not say.

/** Commits the key in a separate transaction before it calls the handler: at most once instead of exactly once. */
export const CommitsTheKeyBeforeTheRun = transactions((right) => ({
  work(fresh, tx, run, limit) {
    const { rows, now } = right.server;
    for (const name of fresh.keys()) rows.set(name, { owner: '', isDone: true, until: now + right.retentionMs });
    return right.work(fresh, tx, run, limit);
  },
}));

/** Logs the error of a run, rolls back, and answers `handled`. */
export const AnswersHandledAfterAFailure = transactions((right) => ({
  once: (keys, ...args) => right.once(keys, ...args).catch(() => new Map(keys.map((key) => [key, 'handled' as const]))),
}));

/** `run(…)?.catch(…)` does not catch an error that `run` throws synchronously. */
export const MissesSynchronousThrows = transactions((right) => ({
  async once(keys, _step, run) {
    const tx = new Transaction(right.server);
    const words = await right.server.call(() => new Map(keys.map((key) => [key, right.claimRow(key, tx)])));
    const fresh = new Map(keys.filter((key) => words.get(key) === 'handled').map((key) => [key, {}]));
    if (fresh.size > 0) {
      await run(fresh, tx)?.catch((error) => {
        tx.rollback();
        throw error;
      });
    }
    await right.commit(tx);
    return words;
  },
}));

/** Forgets to await the run. */
export const DoesNotWaitForTheRun = transactions((right) => ({
  async work(...args) {
    right.work(...args).catch(() => {});
  },
}));

/** A mock that was left in: it never calls the run. */
export const RunsNothing = transactions(() => ({ work: async () => {} }));

/** Replaces the error of the run by its own. */
export const HidesErrors = transactions((right) => ({
  work: (...args) => right.work(...args).catch(() => Promise.reject(new Error('The event could not be handled.'))),
}));

/** Passes all keys of the delivery to the handler, not only those it has claimed. */
export const RunsWithAllKeys = transactions((right) => ({
  once: (keys, step, run, limit) =>
    right.once(keys, step, (_fresh, tx) => run(new Map(keys.map((key) => [key, {}])), tx), limit),
}));

/** Passes the names of its rows to the handler instead of the keys. */
export const RunsWithRowNames = transactions((right) => ({
  work: (fresh, ...args) => right.work(new Map([...fresh].map(([key, claim]) => [`webhook:${key}`, claim])), ...args),
}));

/** Passes the keys in the order in which it has locked them. */
export const RunsInSortedOrder = transactions((right) => ({
  work: (fresh, ...args) => right.work(new Map([...fresh].sort()), ...args),
}));

/** Calls the run once for each key. */
export const RunsOncePerKey = transactions((right) => ({
  work: (fresh, tx, run, limit) =>
    right.work(
      fresh,
      tx,
      async () => {
        for (const each of fresh) await run(new Map([each]), tx);
      },
      limit,
    ),
}));

/** Calls the run even if it has claimed no key. */
export const RunsWithoutKeys = transactions((right) => ({
  async once(keys, step, run, limit) {
    let isRun = false;
    const running: typeof run = (...args) => {
      isRun = true;
      return run(...args);
    };
    const words = await right.once(keys, step, running, limit);
    if (!isRun) await run(new Map(), undefined as never);
    return words;
  },
}));
