import { stopwatch } from '../../internal/time.js';
import { storeError } from '../bounded-calls.js';
import type { RecordStore, StoredRecord } from '../record-store.js';
import type { Failed, Failure, LetterStore, StoredLetter } from '../store.js';
import type { Engine } from './client.js';
import { explained, explainedEach, isConditionFailed, isConflict, isTooLarge, rethrow } from './errors.js';
import { type Items, isDone, isLetter, itemOf, numberOf, textOf } from './items.js';

/** How often counting a failure is retried because the item changed meanwhile. */
const FAIL_TRIES = 10;

/** Finds no event ids: DynamoDB would have to read the whole table. */
export function dynamodbRecords({ find }: Items): RecordStore {
  return {
    async look(keys) {
      const found = await explainedEach(keys, find);
      return new Map([...found].flatMap(([key, item]) => (item ? [[key, recordOf(item)] as const] : [])));
    },
  };
}

function recordOf(item: object): StoredRecord {
  const [source, via, kind, eventId] = ['source', 'via', 'kind', 'eventId'].map((name) => textOf(item, name));
  const [code, message] = ['errorCode', 'errorMessage'].map((name) => textOf(item, name));
  const times = ['receivedAt', 'claimedAt', 'doneAt', 'lastFailedAt'].map((name) => numberOf(item, name));
  const [receivedAt, claimedAt, doneAt, lastFailedAt] = times;
  const arrival = { source, via, kind, eventId, receivedAt };
  const attempts = numberOf(item, 'attempts') ?? 0;
  return { ...arrival, state: stateOf(item), attempts, code, message, claimedAt, doneAt, lastFailedAt };
}

function stateOf(item: object): StoredRecord['state'] {
  if (isLetter(item)) return 'dead-lettered';
  if (isDone(item)) return numberOf(item, 'doneAt') === undefined ? 'discarded' : 'handled';
  if (textOf(item, 'owner') === undefined) return 'failed';
  return Number(numberOf(item, 'until')) > Date.now() ? 'in-progress' : 'abandoned';
}

export function dynamodbLetters(
  engine: Engine,
  items: Items,
  { retentionMs, timeoutMs }: { readonly retentionMs: number; readonly timeoutMs: number },
): LetterStore {
  async function fail(key: string, failure: Failure): Promise<Failed | undefined> {
    const id = crypto.randomUUID();
    // Most keys fail for the first time. If there is an item, the failed condition returns it.
    let item: object | undefined;
    for (let tries = 0; tries < FAIL_TRIES; tries++) {
      // The client sent the request twice.
      if (item && textOf(item, 'failure') === id) return failedOf(item);
      const failed = counted(item, failure, retentionMs);
      if (failed === undefined) return undefined;
      try {
        await engine.update(items.fail(key, { item, failure, failed, id }));
        return failed;
      } catch (error) {
        // Another run is committing the key.
        if (isConflict(error)) continue;
        if (isTooLarge(error)) throw storeError(TOO_LARGE, error);
        if (!isConditionFailed(error)) throw explained(error);
        item = await itemOf(error, key, items).catch(rethrow);
      }
    }
    return undefined;
  }

  return {
    fail: async (key, failure) => (failure.isUnknown ? undefined : fail(key, failure)),
    async look(keys) {
      const found = await explainedEach(keys, items.find);
      return new Map(
        [...found].flatMap(([key, item]) => (item && isLetter(item) ? [[key, letterOf(item)] as const] : [])),
      );
    },
    async list({ source, after, limit }) {
      const elapsedMs = stopwatch();
      const letters = new Map<string, StoredLetter>();
      let next = after;
      do {
        const { Items = [], LastEvaluatedKey } = await engine.scan(items.list(next, source)).catch(rethrow);
        for (const item of Items) {
          if (letters.size === limit) return { letters, next: [...letters.keys()].at(-1) };
          letters.set(String(textOf(item, 'key')), letterOf(item));
        }
        if (LastEvaluatedKey === undefined) return { letters };
        next = textOf(LastEvaluatedKey, 'key');
      } while (letters.size < limit && elapsedMs() < timeoutMs / 2);
      return { letters, next };
    },
    async discard(keys) {
      const owner = crypto.randomUUID();
      const discarded = await explainedEach(keys, async (key) => {
        try {
          await engine.update(items.discard(key, owner));
          return true;
        } catch (error) {
          // The letter is being retried, or the key is not a dead letter.
          if (isConditionFailed(error) || isConflict(error)) return false;
          throw error;
        }
      });
      return new Set(keys.filter((key) => discarded.get(key)));
    },
  };
}

/** The count of an item after a failure; undefined if the key took effect or another run holds it. */
function counted(item: object | undefined, failure: Failure, retentionMs: number): Failed | undefined {
  const now = Date.now();
  const earlier = item && earlierOf(item, now, retentionMs);
  if (earlier === 'taken') return undefined;
  const attempts = (earlier?.attempts ?? 0) + 1;
  const firstFailedAt = earlier?.firstFailedAt ?? now;
  const isDue = attempts >= failure.afterAttempts && now - firstFailedAt >= failure.afterMs;
  return { attempts, firstFailedAt, isDead: isDue || earlier?.isDead === true };
}

function earlierOf(item: object, now: number, retentionMs: number): Failed | 'taken' | undefined {
  const until = numberOf(item, isLetter(item) ? 'retryUntil' : 'until') ?? 0;
  if (until > now) return 'taken';
  const lastFailedAt = numberOf(item, 'lastFailedAt') ?? 0;
  // DynamoDB deletes expired items only days later, and a record keeps the attempts from before it.
  if (!isLetter(item) && (isDone(item) || lastFailedAt + retentionMs <= now)) return undefined;
  return failedOf(item);
}

/** The count of a key that has failed. */
function failedOf(item: object): Failed {
  const [attempts, firstFailedAt] = [numberOf(item, 'attempts'), numberOf(item, 'firstFailedAt')].map(Number);
  return { attempts, firstFailedAt, isDead: isLetter(item) } as Failed;
}

function letterOf(item: object): StoredLetter {
  const { attempts, firstFailedAt } = failedOf(item);
  const [letter, code, message] = ['letter', 'errorCode', 'errorMessage'].map((name) => String(textOf(item, name)));
  const lastFailedAt = Number(numberOf(item, 'lastFailedAt'));
  const texts = { letter, code, message } as Pick<StoredLetter, 'letter' | 'code' | 'message'>;
  return { ...texts, source: textOf(item, 'source'), attempts, firstFailedAt, lastFailedAt };
}

const TOO_LARGE =
  'The event is too large for a dead letter, so it will be redelivered: an item of DynamoDB takes up to 400 kB. Handle such events without an error, or discard them in the handler.';
