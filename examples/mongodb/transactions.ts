// examples/mongodb/transactions.ts
import type { TransactionalStore } from 'event-webhook-receiver';
import { type ClientSession, type Collection, type MongoClient, MongoServerError } from 'mongodb';
import { ifFree, type Lease } from './leases.js';

const OPTIONS = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;
const WEEK_MS = 604_800_000;

export function mongoTransactionStore(
  client: MongoClient,
  records: Collection<Lease>,
  retentionMs = WEEK_MS,
): TransactionalStore<ClientSession> {
  return {
    leaseMs: 60_000, // transactionLifetimeLimitSeconds of the server
    async once(keys, _step, run, { signal }) {
      const session = client.startSession();
      const held = new Set<string>();

      /** Records a key in the transaction. Conflicts at once with another one that has it. */
      async function claim(key: string) {
        if (held.has(key)) return 'in-progress';
        const owner = crypto.randomUUID();
        const options = { session, upsert: true, returnDocument: 'after' } as const;
        const record = await records
          .findOneAndUpdate({ _id: key }, ifFree(owner, true, retentionMs), options)
          .catch((error) => {
            if (error instanceof MongoServerError && error.code === 112) held.add(key);
            throw error;
          });
        return record?.owner === owner ? 'handled' : 'duplicate';
      }

      async function transaction() {
        const words = new Map<string, Awaited<ReturnType<typeof claim>>>();
        for (const key of [...keys].sort()) words.set(key, await claim(key));
        const fresh = keys.filter((key) => words.get(key) === 'handled');
        if (fresh.length === 0) await session.abortTransaction();
        else await inTime(() => run(new Map(fresh.map((key) => [key, {}])), session), signal);
        return words;
      }

      try {
        // Begins again after a conflict, without the key that is held, and commits again while it is unknown whether it has.
        return await session.withTransaction(transaction, OPTIONS);
      } finally {
        // Rolls back. A late handler's writes throw from here on.
        await session.endSession();
      }
    },
  };
}

/** Rejects as soon as the handler's time is over. */
function inTime(run: () => unknown, signal: AbortSignal): Promise<unknown> {
  const late = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return Promise.race([(async () => run())(), late]);
}
