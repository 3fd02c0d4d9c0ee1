import { storeError } from '../bounded-calls.js';
import { type LeaseTable, type resolveLeaseOptions, storeOfLeases } from '../leased-store.js';
import { storableKey } from '../storable.js';
import type { Claimed, Run, RunLimit, TransactionalStore } from '../store.js';
import type { Commit } from './commit.js';
import { Collector, type DynamoDBTransaction } from './transaction.js';

/** Half of the writes of a transaction: each event may add one more. */
const KEYS_PER_RUN = 50;

type Tx = DynamoDBTransaction;

/** A store whose runs collect writes and commit them together with the keys, which are claimed by leases. */
export function transactionalStore(
  table: LeaseTable,
  commit: Commit,
  options: ReturnType<typeof resolveLeaseOptions>,
): TransactionalStore<Tx> {
  const { leaseMs, letters, records, rememberedSince, claim, release } = storeOfLeases(table, options);

  /** Collects the handler's writes until its time is over. */
  async function collect(collector: Collector<object>, run: (tx: Tx) => unknown, { signal, report }: RunLimit) {
    try {
      await new Promise<unknown>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        Promise.resolve(run(collector.tx)).then(resolve, reject);
      });
      return collector.collected(report);
    } finally {
      collector.close();
    }
  }

  return {
    leaseMs,
    letters,
    records,
    rememberedSince,
    keysPerRun: KEYS_PER_RUN,
    async once(keys, step, run: Run<Tx>, limit) {
      const owner = crypto.randomUUID();
      const claims = await claim(keys.slice(0, KEYS_PER_RUN), owner, step);
      const fresh = new Map<string, Claimed>();
      for (const [key, answer] of claims) if (typeof answer === 'object') fresh.set(key, answer);
      if (fresh.size > 0) {
        const claimed = [...fresh.keys()];
        try {
          if (limit.signal.aborted || !(Date.now() < limit.deadline)) throw storeError(FROZEN);
          const writes = await collect(new Collector(fresh.size), (tx) => run(fresh, tx), limit);
          await commit(claimed.map(storableKey), owner, writes);
        } catch (error) {
          await release(claimed, owner).catch(ignore);
          throw error;
        }
      }
      return new Map(
        keys.map((key) => {
          const answer = claims.get(key) ?? 'in-progress';
          return [key, typeof answer === 'string' ? answer : 'handled'];
        }),
      );
    },
  };
}

const FROZEN =
  'Claiming the key took as long as its handler may take, so the handler was not started. The process was frozen, or DynamoDB is slow.';

function ignore(): void {}
