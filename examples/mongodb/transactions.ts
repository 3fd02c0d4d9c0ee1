// examples/mongodb/transactions.ts
import type { IdempotencyStore } from 'event-webhook-receiver';
import { type ClientSession, type Collection, type MongoClient, MongoServerError } from 'mongodb';
import { ifFree, type Lease } from './leases.js';

const OPTIONS = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;
const WEEK_MS = 604_800_000;

function nullIfConflict(error: unknown): null {
  if (error instanceof MongoServerError && error.code === 112) return null;
  throw error;
}

export function mongoTransactionStore(client: MongoClient, keys: Collection<Lease>, retentionMs = WEEK_MS) {
  const store: IdempotencyStore<ClientSession> = {
    transactional: true,
    leaseMs: 60_000, // transactionLifetimeLimitSeconds of the server
    async once(key, run) {
      const session = client.startSession();
      const transaction = async (): ReturnType<IdempotencyStore['once']> => {
        const owner = crypto.randomUUID();
        const options = { session, upsert: true, returnDocument: 'after' } as const;
        const update = ifFree(owner, true, retentionMs);
        // Conflicts at once with another transaction that has the key.
        const record = await keys.findOneAndUpdate({ _id: key }, update, options).catch(nullIfConflict);
        if (record?.owner === owner) {
          // Rejects, and so rolls back, as soon as the handler's time is over.
          await new Promise<void>((resolve, onTimeout) => run(session, { onTimeout }).then(resolve, onTimeout));
          return 'handled';
        }
        await session.abortTransaction();
        return record ? 'duplicate' : 'in-progress';
      };
      try {
        // Begins again after a conflict, and commits again while it is unknown whether it has committed.
        return await session.withTransaction(transaction, OPTIONS);
      } finally {
        // Rolls back. A late handler's writes throw from here on.
        await session.endSession();
      }
    },
  };
  return store;
}
