import { type LeaseRunOptions, type LeaseTable, leasedStore, type resolveLeaseOptions } from '../leased-store.js';
import { storableKey } from '../storable-key.js';
import type { IdempotencyStore, RunOptions, StoreWord } from '../store.js';
import type { Commit } from './commit.js';
import { Collector, type DynamoDBTransaction } from './transaction.js';

/** Half of the writes of a transaction: each event may add one more. */
const KEYS_PER_RUN = 50;

type Tx = DynamoDBTransaction;
type Run = (tx: Tx, options: RunOptions) => Promise<void>;

/** A store whose runs collect writes, which are committed together with the keys that were claimed by a lease. */
export function transactionalStore(
  leases: LeaseTable,
  commit: Commit,
  options: ReturnType<typeof resolveLeaseOptions>,
): IdempotencyStore<Tx> {
  // A commit has recorded its keys.
  const leased = leasedStore({ ...leases, complete: async (keys) => new Set(keys) }, options);

  async function runAndCommit(names: readonly string[], run: Run, { owner, ...runOptions }: LeaseRunOptions) {
    const collector = new Collector(names.length);
    // The lease store frees the keys of a run that rejects. One that is late rejects at once, and its handler writes nothing.
    await new Promise<void>((resolve, reject) => {
      const onTimeout = (error: Error) => {
        collector.close();
        reject(error);
      };
      run(collector.tx, { ...runOptions, onTimeout }).then(resolve, reject);
    }).finally(() => collector.close());
    await commit(names.map(storableKey), owner, collector.collected());
  }

  return {
    transactional: true,
    leaseMs: leased.leaseMs,
    rememberedSince: leased.rememberedSince,
    keysPerRun: KEYS_PER_RUN,
    once: (key, run) => leased.once(key, (_, runOptions) => runAndCommit([key], run, runOptions)),
    async onceEach(keys, run) {
      const words: StoreWord[] = [];
      let hasRun = false;
      for (let start = 0; start < keys.length; start += KEYS_PER_RUN) {
        const part = keys.slice(start, start + KEYS_PER_RUN);
        if (hasRun) words.push(...part.map((): StoreWord => 'in-progress'));
        else {
          const answers = await leased.onceEach(part, (fresh, _, runOptions) => {
            hasRun = true;
            return runAndCommit(fresh, (tx, each) => run(fresh, tx, each), runOptions);
          });
          words.push(...answers);
        }
      }
      return words;
    },
  };
}
