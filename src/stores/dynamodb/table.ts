import { eachKey } from '../each-key.js';
import type { Claim, LeaseTable } from '../leased-store.js';
import type { Engine } from './client.js';
import { explained, isConditionFailed, isConflict, sdkError } from './errors.js';

const CLAIM_TRIES = 3;
/** How much later than it ends a key may be deleted by DynamoDB, in ms: its clock is not that of the process. */
const EXPIRY_MARGIN_MS = 86_400_000;

export interface Durations {
  /** How long a claim lasts for other processes, in ms. */
  readonly claimMs: number;
  readonly retentionMs: number;
}

/** The items of the store: the inputs of each step for one key. */
export interface Items {
  claim(key: string, owner: string): object;
  complete(key: string, owner: string): object;
  /** Like `complete`, but only while the owner has the key and has not completed it. */
  completeHeld(key: string, owner: string): object;
  release(key: string, owner: string): object;
  read(key: string): object;
}

// A client may send a request twice, and a copy may arrive after others. So each condition accepts the work of the owner that it
// names, and a copy of a claim or of a release changes nothing once the key took effect.
export function itemsOf(table: string, engine: Engine, { claimMs, retentionMs }: Durations): Items {
  const at = (key: string) => ({ TableName: table, Key: { key: engine.value(key) } });

  /** An input without the names and values that its expressions do not use: DynamoDB rejects those. */
  function input(key: string, expressions: Record<string, string>, values: Record<string, string | number | boolean>) {
    const text = Object.values(expressions).join(' ');
    const names = [...new Set(text.match(/#\w+/g))].map((name) => [name, name.slice(1)]);
    return {
      ...at(key),
      ...expressions,
      ExpressionAttributeNames: Object.fromEntries(names),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`:${name}`, engine.value(value)]),
      ),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  function completing(key: string, owner: string, ConditionExpression: string, more = {}): object {
    const expressions = { UpdateExpression: SET, ConditionExpression };
    return input(key, expressions, { owner, done: true, ...endsIn(retentionMs), ...more });
  }

  return {
    claim(key, owner) {
      const free = 'attribute_not_exists(#key) OR #until <= :now';
      const expressions = {
        UpdateExpression: SET,
        ConditionExpression: `${free} OR (#owner = :owner AND #done = :done)`,
      };
      return input(key, expressions, { owner, done: false, now: Date.now(), ...endsIn(claimMs) });
    },
    complete: (key, owner) => completing(key, owner, 'attribute_not_exists(#key) OR #owner = :owner'),
    completeHeld: (key, owner) => completing(key, owner, '#owner = :owner AND #done = :held', { held: false }),
    release: (key, owner) =>
      input(key, { ConditionExpression: '#owner = :owner AND #done = :done' }, { owner, done: false }),
    read: (key) => ({ ...at(key), ConsistentRead: true }),
  };
}

const SET = 'SET #owner = :owner, #done = :done, #until = :until, #expiresAt = :expiresAt';

/** `until` in epoch ms, and `expiresAt` in epoch seconds for the TTL of the table. */
function endsIn(ms: number): { until: number; expiresAt: number } {
  const until = Math.min(Math.ceil(Date.now() + ms), Number.MAX_SAFE_INTEGER);
  return { until, expiresAt: Math.ceil(Math.min(until + EXPIRY_MARGIN_MS, Number.MAX_SAFE_INTEGER) / 1000) };
}

/** Whether the item that a failed condition found took effect. Errors have attribute values with either client. */
export function isDone(item: object): boolean {
  const done: unknown = Reflect.get(item, 'done');
  return done === true || (typeof done === 'object' && done !== null && Reflect.get(done, 'BOOL') === true);
}

export function isOwnedBy(item: object, owner: string): boolean {
  const found: unknown = Reflect.get(item, 'owner');
  return found === owner || (typeof found === 'object' && found !== null && Reflect.get(found, 'S') === owner);
}

/** The item that a failed condition found; undefined if there is none. Older clients do not return it. */
export async function itemOf(error: unknown, key: string, engine: Engine, items: Items): Promise<object | undefined> {
  return sdkError(error).Item ?? (await engine.get(items.read(key))).Item;
}

/** Leases in a table, one conditional write a key. */
export function leaseTable(engine: Engine, items: Items): LeaseTable {
  async function claim(key: string, owner: string): Promise<Claim> {
    // A key may be released between the write and the read, and another process may be committing it.
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      try {
        await engine.update(items.claim(key, owner));
        return 'claimed';
      } catch (error) {
        // Another run is committing the key.
        if (isConflict(error)) continue;
        if (!isConditionFailed(error)) throw error;
        const item = await itemOf(error, key, engine, items);
        if (item) return isDone(item) ? 'duplicate' : 'in-progress';
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

  const forEach = <Word>(keys: readonly string[], work: (key: string) => Promise<Word>) =>
    eachKey(keys, work).catch((error: unknown) => {
      throw explained(error);
    });

  return {
    claim: (keys, owner) => forEach(keys, (key) => claim(key, owner)),
    async record(keys, owner) {
      const recorded = await forEach(keys, (key) => unlessTaken(engine.update(items.complete(key, owner))));
      return new Set(keys.filter((key) => recorded.get(key)));
    },
    release: (keys, owner) => forEach(keys, (key) => unlessTaken(engine.delete(items.release(key, owner)))),
  };
}
