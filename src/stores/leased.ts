import { checkFunction, checkOptions, optionError, typeName } from '../internal/check-options.js';
import { storeError } from './bounded-calls.js';
import { eachKey } from './each-key.js';
import { LEASE_OPTIONS, type LeaseOptions, resolveLeaseOptions, storeOfLeases } from './leased-store.js';
import type { ClaimAnswer, LeaseStore } from './store.js';

export type { LeaseOptions } from './leased-store.js';

/**
 * The answer to a claim of a key. A bigint means claimed, with this fencing token. `unknown`: the effects of an earlier
 * run may be incomplete, and you have to settle the key.
 */
export type Claim = 'claimed' | bigint | 'duplicate' | 'in-progress' | 'unknown';

/**
 * The three writes that a lease store makes to your database, each for one key. Each must be atomic on the server: a
 * conditional write, or a read and a compare-and-swap of what was read, but never a read and then a write. It must
 * resolve only once the write is durable, and must never go to a replica that may lag behind. A client may repeat a
 * command whose answer was lost, so each must give the same answer to the same owner again. Reject if the outcome is
 * unknown: the store then retries or fails the event.
 *
 * Keys are 1 to 200 letters, digits and `_ . : @ / + -`; for other keys the store passes `sha256:` and 64 hex digits.
 * Compare them exactly: case matters. An owner is a UUID, used for one claim only.
 */
export interface Leases {
  /**
   * Gives the key to `owner` until `leaseMs` from now, if the key is not claimed, or the lease of the other owner has
   * ended, or the record of its effect has expired. Otherwise changes nothing and never waits for the key. Let the
   * server compare the times with its own clock; with the clocks of the callers, leases are only as reliable as those
   * clocks agree.
   *
   * @param key The key.
   * @param owner The new owner. A key that this owner already has is claimed; one that it has recorded is `duplicate`,
   * because a command may arrive a second time.
   * @param leaseMs The shortest time that the claim lasts, in milliseconds. A repeated claim may extend it.
   * @returns `claimed`, or a bigint that grows with each claim of this key, as its fencing token; `duplicate` if the
   * key took effect; `in-progress` if another owner has it; `unknown` if nothing may run until you have settled the
   * key.
   */
  claim(key: string, owner: string, leaseMs: number): Promise<Claim>;
  /**
   * Records for at least `retentionMs` that the key took effect, unless another owner has claimed or recorded it.
   * Record it even if the lease has ended or the key is gone, because the effect has happened.
   *
   * @param key The key.
   * @param owner The owner that claimed it. A key that this owner has already recorded counts as recorded.
   * @param retentionMs How long to keep the record, in milliseconds.
   * @returns `true` if the key is recorded, `false` if another owner has it.
   */
  record(key: string, owner: string, retentionMs: number): Promise<boolean>;
  /**
   * Deletes the claim of `owner`, so that a redelivery can claim the key at once. Never deletes the claim of another owner or
   * a record that the key took effect.
   *
   * @param key The key.
   * @param owner The owner that may have claimed it.
   */
  release(key: string, owner: string): Promise<unknown>;
}

/**
 * Creates a store from three conditional writes to your database, shared by all replicas: an event takes effect once
 * while the database keeps its key, and if a process dies during a run, another takes over after `leaseMs`. The
 * receiver gives each claim its own owner. The store releases claims whose answer was lost, and retries recording an
 * effect until the database has answered. While the database is unreachable, nothing runs, and events fail with
 * `ERR_WEBHOOK_STORE`, to be redelivered.
 *
 * It does not check that the writes do what {@link Leases} asks for: run `storeContract` of `event-webhooks/store-contract`
 * against your store, with its option `leases`.
 *
 * @example
 * ```ts
 * import { leasedStore } from 'event-webhook-receiver/stores/leased';
 * import { MongoClient } from 'mongodb';
 *
 * interface Lease { _id: string; owner: string; done: boolean; until: Date }
 *
 * const client = new MongoClient(process.env.MONGODB_URL ?? 'mongodb://127.0.0.1:27017');
 * const leases = client.db().collection<Lease>('webhook_leases', { writeConcern: { w: 'majority' } });
 *
 * async function write(key: string, owner: string, done: boolean, ms: number) {
 *   const isOwn = { $and: [{ $eq: ['$owner', owner] }, { $in: ['$done', [false, done]] }] };
 *   const isFree = { $or: [isOwn, { $lte: [{ $ifNull: ['$until', '$$NOW'] }, '$$NOW'] }] };
 *   const lease = { owner, done, until: { $add: ['$$NOW', ms] } };
 *   const update = [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $cond: [isFree, lease, {}] }] } }];
 *   const now = await leases.findOneAndUpdate({ _id: key }, update, { upsert: true, returnDocument: 'after' });
 *   if (now?.owner === owner && now.done === done) return 'claimed';
 *   return now?.done ? 'duplicate' : 'in-progress';
 * }
 *
 * export const store = leasedStore({
 *   claim: (key, owner, leaseMs) => write(key, owner, false, leaseMs),
 *   record: async (key, owner, retentionMs) => (await write(key, owner, true, retentionMs)) === 'claimed',
 *   release: (key, owner) => leases.deleteOne({ _id: key, owner, done: false }),
 * });
 * ```
 * @param leases The three writes.
 * @param options Times, in milliseconds.
 * @returns The store, for the receiver's `store` option.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for a missing method, or an invalid or unknown option.
 */
export function leasedStore(leases: Leases, options: LeaseOptions = {}): LeaseStore {
  if (typeof leases !== 'object' || leases === null) {
    throw optionError('leases', 'an object with the methods claim, record and release', leases);
  }
  for (const name of ['claim', 'record', 'release'] as const) checkFunction(`leases.${name}`, leases[name]);
  checkOptions('leasedStore', options, LEASE_OPTIONS);
  const resolved = resolveLeaseOptions(options);
  const { leaseMs, retentionMs } = resolved;
  return storeOfLeases(
    {
      claim: (keys, owner) => eachKey(keys, async (key) => understood(await leases.claim(key, owner, leaseMs))),
      async record(keys, owner) {
        const recorded = await eachKey(keys, (key) => leases.record(key, owner, retentionMs));
        for (const answer of recorded.values()) {
          if (typeof answer !== 'boolean') return misunderstood('record', 'true or false', answer);
        }
        return new Set(keys.filter((key) => recorded.get(key)));
      },
      release: (keys, owner) => eachKey(keys, (key) => leases.release(key, owner)),
    },
    resolved,
  );
}

const WORDS = new Set<Claim>(['duplicate', 'in-progress', 'unknown']);

function understood(claim: Claim): ClaimAnswer {
  if (claim === 'claimed') return {};
  if (typeof claim === 'bigint') return { token: claim };
  if (WORDS.has(claim)) return claim;
  throw misunderstood('claim', "'claimed', a bigint, 'duplicate', 'in-progress' or 'unknown'", claim);
}

function misunderstood(method: keyof Leases, known: string, answer: unknown): Error {
  return storeError(`\`leases.${method}\` must resolve to ${known}, got ${typeName(answer)}.`);
}
