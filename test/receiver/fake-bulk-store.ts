import type { IdempotencyStore } from '../../src/index.js';
import type { RunOptions, StoreWord } from '../../src/stores/store.js';

interface BulkOptions {
  readonly transactional?: boolean;
  readonly fencingToken?: bigint;
  /** Called after a successful run. */
  readonly commit?: () => Promise<void>;
}

/** A store in memory that never waits: it claims the free keys of a call, and records or frees them together. */
export function fakeBulkStore<Tx>(tx: Tx, { transactional, fencingToken, commit = async () => {} }: BulkOptions = {}) {
  const keys = new Map<string, 'held' | 'done'>();

  async function onceEach(
    all: readonly string[],
    run: (fresh: readonly string[], tx: Tx, options?: RunOptions) => Promise<void>,
  ): Promise<StoreWord[]> {
    const words = all.map((key): StoreWord => {
      const state = keys.get(key);
      return state === undefined ? 'handled' : state === 'done' ? 'duplicate' : 'in-progress';
    });
    const fresh = all.filter((_, index) => words[index] === 'handled');
    if (fresh.length === 0) return words;
    for (const key of fresh) keys.set(key, 'held');
    try {
      await new Promise<void>((resolve, reject) => {
        const onTimeout = transactional ? reject : undefined;
        run(fresh, tx, { onTimeout, fencingToken }).then(resolve, reject);
      });
      await commit();
      for (const key of fresh) keys.set(key, 'done');
      return words;
    } catch (error) {
      for (const key of fresh) keys.delete(key);
      throw error;
    }
  }

  const store: IdempotencyStore<Tx> = {
    transactional,
    onceEach,
    async once(key, run) {
      const [word] = await onceEach([key], (_, each, options) => run(each, options));
      return word as StoreWord;
    },
  };
  return { keys, store };
}
