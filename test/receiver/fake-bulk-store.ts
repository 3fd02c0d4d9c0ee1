import type { IdempotencyStore, TransactionalStore } from '../../src/index.js';
import type { ClaimAnswer, Claimed, Run, StoreWord } from '../../src/stores/store.js';

interface BulkOptions {
  /** Whether its runs have transactions. (Default: they have leases.) */
  readonly transactional?: boolean;
  readonly fencingToken?: bigint;
  /** Called after a successful run. */
  readonly commit?: () => Promise<void>;
}

/** A store in memory that never waits: it claims the free keys of a call, and records or frees them together. */
export function fakeBulkStore<Tx>(tx: Tx, { transactional, fencingToken, commit = async () => {} }: BulkOptions = {}) {
  const keys = new Map<string, 'held' | 'done'>();

  function claim(all: readonly string[]) {
    const words = new Map<string, Exclude<StoreWord, 'handled'>>();
    const fresh = new Map<string, Claimed>();
    for (const key of all) {
      const state = keys.get(key);
      if (state) words.set(key, state === 'done' ? 'duplicate' : 'in-progress');
      else fresh.set(key, { token: fencingToken });
    }
    for (const key of fresh.keys()) keys.set(key, 'held');
    return { words, fresh };
  }

  async function release(all: readonly string[]): Promise<void> {
    for (const key of all) if (keys.get(key) === 'held') keys.delete(key);
  }

  async function record(all: readonly string[]): Promise<Map<string, boolean>> {
    await commit();
    for (const key of all) keys.set(key, 'done');
    return new Map(all.map((key) => [key, true]));
  }

  const withTransactions: TransactionalStore<Tx> = {
    async once(all, _step, run, { signal }) {
      const { words, fresh } = claim(all);
      if (fresh.size === 0) return words;
      const claimed = [...fresh.keys()];
      try {
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          (async () => run(fresh, tx))().then(resolve, reject);
        });
        await record(claimed);
      } catch (error) {
        await release(claimed);
        throw error;
      }
      return new Map(all.map((key) => [key, words.get(key) ?? 'handled']));
    },
  };
  const withLeases: IdempotencyStore = {
    leaseMs: 60_000,
    async claim(all) {
      const { words, fresh } = claim(all);
      return new Map<string, ClaimAnswer>([...words, ...fresh]);
    },
    record,
    release,
  };
  return { keys, store: (transactional ? withTransactions : withLeases) as IdempotencyStore<Tx> };
}

/** The run that a store of a test calls, with all its keys or with these. */
export type RunAll = (fresh?: unknown) => Promise<void>;

/** A store with transactions that does with its run what a test says. It may answer one word for all keys. */
export function storeDoing<Tx = undefined>(
  use: (run: RunAll, signal: AbortSignal, keys: readonly string[]) => unknown,
  tx?: Tx,
): TransactionalStore<Tx> {
  return {
    once: (async (keys: readonly string[], _step: unknown, run: Run<Tx>, { signal }: { signal: AbortSignal }) => {
      const claimed = new Map(keys.map((key) => [key, {}]));
      const answer = await use(async (fresh = claimed) => run(fresh as never, tx as Tx), signal, keys);
      return typeof answer === 'string' ? new Map(keys.map((key) => [key, answer])) : answer;
    }) as never,
  };
}
