import type { Engine } from './client.js';
import { sdkError } from './errors.js';
import { endsIn, type Inputs } from './inputs.js';

export interface Durations {
  /** How long a claim lasts for other processes, in ms. */
  readonly claimMs: number;
  readonly retentionMs: number;
}

/** The items of the store: the inputs of each step for one key. */
export interface Items {
  claim(key: string, owner: string): object;
  /** Like `claim`, for a dead letter. */
  claimLetter(key: string, owner: string): object;
  complete(key: string, owner: string): object;
  /** Like `complete`, but only while the owner holds the key and has not completed it. */
  completeHeld(key: string, owner: string): object;
  /** Deletes the item, unless the key has failed. */
  release(key: string, owner: string): object;
  releaseFailed(key: string, owner: string, isLetter: boolean): object;
  read(key: string): object;
}

// A key that has failed has `attempts`; it is free at once, so its `until` is in the past. A dead letter has `letter`,
// and neither `until` nor `expiresAt`; during a retry it has `owner` and `retryUntil`.
// A client may send a request twice, and a copy may arrive after others. So each condition accepts earlier work of the
// same owner, and a copy of a claim or of a release changes nothing once the key took effect.
export function itemsOf({ at, input }: Inputs, { claimMs, retentionMs }: Durations): Items {
  function completing(key: string, owner: string, ConditionExpression: string, more = {}): object {
    const expressions = { UpdateExpression: `${SET} REMOVE #letter, #retryUntil`, ConditionExpression };
    return input(key, expressions, { owner, done: true, ...endsIn(retentionMs), ...more });
  }

  return {
    claim(key, owner) {
      const free = 'attribute_not_exists(#key) OR #until <= :now';
      const expressions = {
        UpdateExpression: SET,
        ConditionExpression: `${free} OR (#owner = :owner AND #done = :done)`,
      };
      // The item outlives its lease, so that the next claim can tell that the earlier run was killed.
      const ends = { ...endsIn(claimMs), expiresAt: endsIn(claimMs + retentionMs).expiresAt };
      return { ...input(key, expressions, { owner, done: false, now: Date.now(), ...ends }), ...OLD };
    },
    claimLetter(key, owner) {
      const free = 'attribute_not_exists(#retryUntil) OR #retryUntil <= :now OR #owner = :owner';
      const expressions = {
        UpdateExpression: 'SET #owner = :owner, #done = :done, #retryUntil = :until',
        ConditionExpression: `attribute_exists(#letter) AND (${free})`,
      };
      const { until } = endsIn(claimMs);
      return { ...input(key, expressions, { owner, done: false, now: Date.now(), until }), ...OLD };
    },
    complete: (key, owner) => completing(key, owner, 'attribute_not_exists(#owner) OR #owner = :owner'),
    completeHeld: (key, owner) => completing(key, owner, '#owner = :owner AND #done = :held', { held: false }),
    release(key, owner) {
      const ConditionExpression = `${HELD} AND attribute_not_exists(#attempts)`;
      return input(key, { ConditionExpression }, { owner, done: false });
    },
    releaseFailed(key, owner, isLetter) {
      const UpdateExpression = isLetter ? 'REMOVE #owner, #retryUntil' : 'SET #until = :free REMOVE #owner';
      const expressions = { UpdateExpression, ConditionExpression: HELD };
      return input(key, expressions, { owner, done: false, ...(!isLetter && { free: 0 }) });
    },
    read: (key) => ({ ...at(key), ConsistentRead: true }),
  };
}

const SET = 'SET #owner = :owner, #done = :done, #until = :until, #expiresAt = :expiresAt';
const HELD = '#owner = :owner AND #done = :done';
/** Makes an update return the values that it replaces. */
const OLD = { ReturnValues: 'UPDATED_OLD' };

/** The item that a failed condition found; undefined if there is none. Older clients do not return it. */
export async function itemOf(error: unknown, key: string, engine: Engine, items: Items): Promise<object | undefined> {
  return sdkError(error).Item ?? (await engine.get(items.read(key))).Item;
}
