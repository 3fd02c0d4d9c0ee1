import { readableText } from '../storable.js';
import type { Failed, Failure } from '../store.js';
import { endsIn, type Inputs, isDone, numberOf, textOf } from './items.js';

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

export function letterItemsOf({ input, parameters, at, table }: Inputs, retentionMs: number): LetterItems {
  return {
    fail(key, { item, failure, failed, id }) {
      const { code, message, letter, source } = failure;
      const { attempts, firstFailedAt, isDead } = failed;
      const hasLease = item !== undefined && !isDone(item);
      const set = {
        attempts,
        firstFailedAt,
        lastFailedAt: Date.now(),
        errorCode: readableText(code),
        errorMessage: readableText(message),
        failure: id,
        ...(source !== undefined && { source: readableText(source) }),
        ...(isDead && { letter }),
        // An ended lease stays, so that the next claim can tell that its run was killed.
        ...(!isDead && { until: (hasLease && numberOf(item, 'until')) || 0, expiresAt: endsIn(retentionMs).expiresAt }),
      };
      const removed = [
        ...(source === undefined ? ['source'] : []),
        ...(isDead ? ['until', 'expiresAt'] : []),
        ...(hasLease ? [] : ['owner', 'done']),
      ];
      const [conditions, values] = unchanged(item);
      const sets = Object.keys(set).map((name) => `#${name} = :${name}`);
      const removes = removed.length > 0 ? ` REMOVE ${removed.map((name) => `#${name}`).join(', ')}` : '';
      const expressions = {
        UpdateExpression: `SET ${sets.join(', ')}${removes}`,
        ConditionExpression: conditions.join(' AND '),
      };
      return input(key, expressions, { ...set, ...values });
    },
    discard(key, owner) {
      const free = 'attribute_exists(#letter) AND (attribute_not_exists(#retryUntil) OR #retryUntil <= :now)';
      const expressions = {
        UpdateExpression:
          'SET #owner = :owner, #done = :done, #until = :until, #expiresAt = :expiresAt REMOVE #letter, #retryUntil',
        ConditionExpression: `(${free}) OR #owner = :owner`,
      };
      return input(key, expressions, { owner, done: true, now: Date.now(), ...endsIn(retentionMs) });
    },
    list(after, source) {
      const FilterExpression = `attribute_exists(#letter)${source === undefined ? '' : ' AND #source = :source'}`;
      return {
        TableName: table,
        ...parameters({ FilterExpression }, source === undefined ? {} : { source: readableText(source) }),
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
