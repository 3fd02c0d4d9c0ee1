// examples/mongodb/leases.ts
import { type Claim, type LeaseOptions, type Leases, leasedStore } from 'event-webhook-receiver/stores/leased';
import { type Collection, MongoServerError } from 'mongodb';

export type Lease = { _id: string; owner: string; done: boolean; until: Date };

/** Writes only if nobody has the key, its time is over, or `owner` has claimed it. `$$NOW` is the clock of the server. */
export const ifFree = (owner: string, done: boolean, ms: number) => {
  // A claim that arrives again, after its owner has recorded the key, must not undo that.
  const isOwn = { $and: [{ $eq: ['$owner', owner] }, { $in: ['$done', [false, done]] }] };
  const isFree = { $or: [isOwn, { $lte: [{ $ifNull: ['$until', '$$NOW'] }, '$$NOW'] }] };
  const lease = { owner, done, until: { $add: ['$$NOW', Math.ceil(ms)] } };
  return [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $cond: [isFree, lease, {}] }] } }];
};

export function mongoLeases(leases: Collection<Lease>): Leases {
  async function write(key: string, owner: string, done: boolean, ms: number): Promise<Claim> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const lease = await leases.findOneAndUpdate({ _id: key }, ifFree(owner, done, ms), options).catch((error) => {
      // Another replica inserted the key first. The next try finds it.
      if (!(error instanceof MongoServerError && error.code === 11_000)) throw error;
    });
    if (!lease) return write(key, owner, done, ms);
    if (lease.owner === owner && lease.done === done) return 'claimed';
    return lease.done ? 'duplicate' : 'in-progress';
  }
  return {
    claim: (key, owner, leaseMs) => write(key, owner, false, leaseMs),
    record: async (key, owner, retentionMs) => (await write(key, owner, true, retentionMs)) === 'claimed',
    release: (key, owner) => leases.deleteOne({ _id: key, owner, done: false }),
  };
}

export const mongoStore = (leases: Collection<Lease>, options?: LeaseOptions) =>
  leasedStore(mongoLeases(leases), options);
