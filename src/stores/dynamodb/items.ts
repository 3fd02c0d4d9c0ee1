import type { KeyRecord } from '../record-store.js';
import { readableText, storableArrival } from '../storable.js';
import type { Failed, Failure } from '../store.js';
import type { Engine } from './client.js';
import { sdkError } from './errors.js';

/** Reads an attribute of an item in the form of either client. Items in errors always have attribute values. */
function attribute(item: object, name: string): unknown {
  const found: unknown = Reflect.get(item, name);
  if (typeof found !== 'object' || found === null) return found;
  // `value`: a NumberValue of the document client.
  for (const kind of ['S', 'N', 'BOOL', 'value']) {
    const value: unknown = Reflect.get(found, kind);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function textOf(item: object, name: string): string | undefined {
  const value = attribute(item, name);
  return value === undefined ? undefined : String(value);
}

export function numberOf(item: object, name: string): number | undefined {
  const value = attribute(item, name);
  return value === undefined ? undefined : Number(value);
}

/** Whether the key took effect, even if its record has expired. */
export const isDone = (item: object): boolean => attribute(item, 'done') === true;

export const isOwnedBy = (item: object, owner: string): boolean => attribute(item, 'owner') === owner;

export const isLetter = (item: object): boolean => attribute(item, 'letter') !== undefined;

/** How long DynamoDB keeps a key after it has expired, in ms, because its clock may differ from that of the process. */
const EXPIRY_MARGIN_MS = 86_400_000;

type Value = string | number | boolean;
type Values = Readonly<Record<string, Value>>;

/** New values of attributes; undefined removes one. */
type Change = Readonly<Record<string, Value | undefined>>;

/** Builds the inputs of requests. */
function inputsOf(table: string, engine: Engine) {
  /** The input that names the item of a key. */
  const at = (key: string) => ({ TableName: table, Key: { key: engine.value(key) } });

  /** Only expressions, names and values: DynamoDB rejects those that the expressions do not use. */
  function parameters(expressions: Record<string, string>, values: Values) {
    const text = Object.values(expressions).join(' ');
    const names = [...new Set(text.match(/#\w+/g))].map((name) => [name, name.slice(1)]);
    return {
      ...expressions,
      ExpressionAttributeNames: Object.fromEntries(names),
      ...(Object.keys(values).length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`:${name}`, engine.value(value)]),
        ),
      }),
    };
  }

  /** An input with a condition, whose `:name` are `values`. */
  const input = (key: string, expressions: Record<string, string>, values: Values) => ({
    ...at(key),
    ...parameters(expressions, values),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });

  return {
    at,
    parameters,
    input,
    /** An input that changes attributes under a condition, whose `:name` are the new values and `values`. */
    change(key: string, change: Change, ConditionExpression: string, values: Values = {}) {
      const names = Object.keys(change);
      const set = names.filter((name) => change[name] !== undefined);
      const removed = names.filter((name) => change[name] === undefined).map((name) => `#${name}`);
      const SET = set.length > 0 ? [`SET ${set.map((name) => `#${name} = :${name}`).join(', ')}`] : [];
      const REMOVE = removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : [];
      const given = Object.fromEntries(set.map((name) => [name, change[name] as Value]));
      const expressions = { UpdateExpression: [...SET, ...REMOVE].join(' '), ConditionExpression };
      return input(key, expressions, { ...given, ...values });
    },
  };
}

/** `until` in epoch ms, and `expiresAt` in epoch seconds for the TTL of the table. */
function endsIn(ms: number): { until: number; expiresAt: number } {
  const until = Math.min(Math.ceil(Date.now() + ms), Number.MAX_SAFE_INTEGER);
  return { until, expiresAt: Math.ceil(Math.min(until + EXPIRY_MARGIN_MS, Number.MAX_SAFE_INTEGER) / 1000) };
}

export interface Durations {
  /** How long a claim lasts for other processes, in ms. */
  readonly claimMs: number;
  readonly retentionMs: number;
}

export type Items = ReturnType<typeof itemsOf>;

// An item has the record of its event: `source`, `via`, `kind`, `eventId`, `receivedAt`, `claimedAt` and `doneAt`. A key that
// has failed has `attempts`; it is free at once, so its `until` is in the past. A dead letter has `letter`, and neither
// `until` nor `expiresAt`; during a retry it has `owner` and `retryUntil`.
// A client may send a request twice, and a copy may arrive after others. So each condition accepts earlier work of the
// same owner, and a copy of a claim or of a release changes nothing once the key took effect.
export function itemsOf(table: string, engine: Engine, { claimMs, retentionMs }: Durations) {
  const { at, parameters, input, change } = inputsOf(table, engine);
  const completing = (key: string, owner: string, condition: string, values?: Values) => {
    const done = { owner, done: true, doneAt: Date.now(), ...endsIn(retentionMs), ...SETTLED };
    return change(key, done, condition, values);
  };

  return {
    claim(key: string, owner: string, record: KeyRecord | undefined) {
      const now = Date.now();
      // The item outlives its lease, so that the next claim can tell that the earlier run was killed.
      const ends = { ...endsIn(claimMs), expiresAt: endsIn(claimMs + retentionMs).expiresAt };
      const claimed = { owner, done: false, claimedAt: now, doneAt: undefined, ...ends, ...record };
      const condition = 'attribute_not_exists(#key) OR #until <= :now OR (#owner = :owner AND #done = :done)';
      return { ...change(key, claimed, condition, { now }), ...OLD };
    },
    /** Like `claim`, for a dead letter. */
    claimLetter(key: string, owner: string) {
      const now = Date.now();
      const free = 'attribute_not_exists(#retryUntil) OR #retryUntil <= :now OR #owner = :owner';
      const claimed = { owner, done: false, claimedAt: now, retryUntil: endsIn(claimMs).until };
      return { ...change(key, claimed, `attribute_exists(#letter) AND (${free})`, { now }), ...OLD };
    },
    complete: (key: string, owner: string) => completing(key, owner, 'attribute_not_exists(#owner) OR #owner = :owner'),
    /** Like `complete`, but only while the owner holds the key and has not completed it. */
    completeHeld: (key: string, owner: string) =>
      completing(key, owner, '#owner = :owner AND #done = :held', { held: false }),
    /** Deletes the item, unless the key has failed. */
    release(key: string, owner: string) {
      const ConditionExpression = `${HELD} AND attribute_not_exists(#attempts)`;
      return input(key, { ConditionExpression }, { owner, done: false });
    },
    releaseFailed: (key: string, owner: string, isLetter: boolean) =>
      change(key, { owner: undefined, ...(isLetter ? { retryUntil: undefined } : { until: 0 }) }, HELD, {
        owner,
        done: false,
      }),
    /** Reads the item of a key. */
    find: async (key: string) => (await engine.get({ ...at(key), ConsistentRead: true })).Item,
    /** Counts a failure. Writes only if the item has not changed since it was read. */
    fail(key: string, { item, failure, failed: { attempts, firstFailedAt, isDead }, id }: Counted) {
      const hasLease = item !== undefined && !isDone(item);
      const { source, ...arrival } = storableArrival(failure);
      const error = { errorCode: readableText(failure.code), errorMessage: readableText(failure.message) };
      const [conditions, values] = unchanged(item);
      const changed = {
        ...{ attempts, firstFailedAt, lastFailedAt: Date.now(), ...error, failure: id, source, doneAt: undefined },
        // A retry has no record of an arrival.
        ...(failure.kind !== undefined && arrival),
        ...(isDead && { letter: failure.letter }),
        // An ended lease stays, so that the next claim can tell that its run was killed.
        until: isDead ? undefined : (hasLease && numberOf(item, 'until')) || 0,
        expiresAt: isDead ? undefined : endsIn(retentionMs).expiresAt,
        ...(!hasLease && { owner: undefined, done: undefined }),
      };
      return change(key, changed, conditions.join(' AND '), values);
    },
    /** Removes a dead letter that is not being retried. */
    discard(key: string, owner: string) {
      const free = 'attribute_exists(#letter) AND (attribute_not_exists(#retryUntil) OR #retryUntil <= :now)';
      const discarded = { owner, done: true, doneAt: undefined, ...endsIn(retentionMs), ...SETTLED };
      return change(key, discarded, `(${free}) OR #owner = :owner`, { now: Date.now() });
    },
    /** Finds dead letters. */
    list(after: string | undefined, source: string | undefined) {
      const FilterExpression = `attribute_exists(#letter)${source === undefined ? '' : ' AND #source = :source'}`;
      return {
        TableName: table,
        ...parameters(
          { FilterExpression },
          source === undefined ? {} : { source: storableArrival({ source }).source ?? '' },
        ),
        ...(after !== undefined && { ExclusiveStartKey: at(after).Key }),
        ConsistentRead: true,
      };
    },
  };
}

/** The count after a failure of a key, and the item that was read. */
export interface Counted {
  readonly item: object | undefined;
  readonly failure: Failure;
  readonly failed: Failed;
  /** The id of the call. */
  readonly id: string;
}

/** Conditions that hold if no run and no other failure has changed the item. */
function unchanged(item: object | undefined): [conditions: string[], values: Record<string, string | number>] {
  const read = item && {
    owner: textOf(item, 'owner'),
    failure: textOf(item, 'failure'),
    until: numberOf(item, 'until'),
    retryUntil: numberOf(item, 'retryUntil'),
  };
  const values: Record<string, string | number> = {};
  const conditions = (['owner', 'failure', 'until', 'retryUntil'] as const).map((name) => {
    const value = read?.[name];
    if (value === undefined) return `attribute_not_exists(#${name})`;
    values[`${name}Read`] = value;
    return `#${name} = :${name}Read`;
  });
  return [conditions, values];
}

/** What a key that took effect, or was discarded, no longer has. */
const SETTLED = { letter: undefined, retryUntil: undefined, errorCode: undefined, errorMessage: undefined };
const HELD = '#owner = :owner AND #done = :done';
/** Makes an update return the values that it replaces. */
const OLD = { ReturnValues: 'UPDATED_OLD' };

/** The item that a failed condition found; undefined if there is none. Older clients do not return it. */
export async function itemOf(error: unknown, key: string, { find }: Items): Promise<object | undefined> {
  return sdkError(error).Item ?? find(key);
}
