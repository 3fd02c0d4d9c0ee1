import { readableText, storableArrival } from '../storable.js';
import type { Failed, Failure } from '../store.js';
import { endsIn, type Inputs, isDone, numberOf, SETTLED, textOf } from './items.js';

/** The count after a failure of a key, and the item that was read. */
interface Counted {
  readonly item: object | undefined;
  readonly failure: Failure;
  readonly failed: Failed;
  /** The id of the call. */
  readonly id: string;
}

/** The inputs of each step of dead letters. */
export interface LetterItems {
  /** Writes only if the item has not changed since it was read. */
  fail(key: string, counted: Counted): object;
  discard(key: string, owner: string): object;
  list(after: string | undefined, source: string | undefined): object;
}

export function letterItemsOf({ change, parameters, at, table }: Inputs, retentionMs: number): LetterItems {
  return {
    fail(key, { item, failure, failed: { attempts, firstFailedAt, isDead }, id }) {
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
    discard(key, owner) {
      const free = 'attribute_exists(#letter) AND (attribute_not_exists(#retryUntil) OR #retryUntil <= :now)';
      const discarded = { owner, done: true, doneAt: undefined, ...endsIn(retentionMs), ...SETTLED };
      return change(key, discarded, `(${free}) OR #owner = :owner`, { now: Date.now() });
    },
    list(after, source) {
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
