import type { LeaseTable } from '../leased-store.js';
import type { ClaimAnswer, LetterStore, Step } from '../store.js';
import type { Engine } from './client.js';
import { explainedEach, isConditionFailed, isConflict } from './errors.js';
import { type Items, isDone, isLetter, isOwnedBy, itemOf, numberOf, textOf } from './items.js';
import { dynamodbRecords } from './letters.js';

const CLAIM_TRIES = 3;

/** Leases in a table, with one conditional write per key. */
export function leaseTable(engine: Engine, items: Items, letters: LetterStore): LeaseTable {
  async function claim(key: string, owner: string, { from, records }: Step): Promise<ClaimAnswer> {
    // A key may be released between the write and the read, and another process may be committing it.
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      try {
        const input = from === 'dead' ? items.claimLetter(key, owner) : items.claim(key, owner, records?.get(key));
        const answer = await engine.update(input);
        return isAbandoned(answer?.Attributes, owner) ? { abandoned: true } : {};
      } catch (error) {
        // Another run is committing the key.
        if (isConflict(error)) continue;
        if (!isConditionFailed(error)) throw error;
        const item = await itemOf(error, key, items);
        if (item) return refusalOf(item, from);
        if (from === 'dead') return 'duplicate';
      }
    }
    return 'in-progress';
  }

  const unlessTaken = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      if (isConditionFailed(error)) return false;
      throw error;
    }
  };

  return {
    letters,
    records: dynamodbRecords(items),
    claim: (keys, owner, step) => explainedEach(keys, (key) => claim(key, owner, step)),
    async record(keys, owner) {
      const recorded = await explainedEach(keys, (key) => unlessTaken(engine.update(items.complete(key, owner))));
      return new Set(keys.filter((key) => recorded.get(key)));
    },
    release: (keys, owner) => explainedEach(keys, (key) => unlessTaken(giveUp(engine, items, key, owner))),
  };
}

/**
 * Frees a key of the owner. Resolves to whether the owner has completed the key. Rejects with a failed condition if the
 * key changed meanwhile.
 */
export async function giveUp(engine: Engine, items: Items, key: string, owner: string): Promise<boolean> {
  try {
    await engine.delete(items.release(key, owner));
    return false;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    const item = await itemOf(error, key, items);
    if (item === undefined || !isOwnedBy(item, owner)) return false;
    if (isDone(item)) return true;
    await engine.update(items.releaseFailed(key, owner, isLetter(item)));
    return false;
  }
}

/** Whether a claim replaced an ended lease of another run. */
function isAbandoned(old: object | undefined, owner: string): boolean {
  return old !== undefined && textOf(old, 'owner') !== undefined && !isOwnedBy(old, owner) && !isDone(old);
}

/** Why an item was not claimed. */
function refusalOf(item: object, from: Step['from']): 'duplicate' | 'in-progress' {
  if (isDone(item)) return 'duplicate';
  const until = numberOf(item, isLetter(item) ? 'retryUntil' : 'until') ?? 0;
  // The lease may have ended since the write.
  const isHeld = until > Date.now() || isLetter(item) === (from === 'dead');
  return isHeld ? 'in-progress' : 'duplicate';
}
