import { stopwatch } from '../../internal/time.js';
import { storeError } from '../bounded-calls.js';
import { readableText, storableArrival } from '../storable.js';
import type { Failed, Failure, LetterStore, StoredLetter } from '../store.js';
import { type Row, readRows } from './rows.js';
import { type Runner, textOf, understood, whole } from './runner.js';
import { DISCARD, FAIL } from './scripts.js';

/** No key of the store has braces. In a cluster, the index is in another slot than most keys. */
const INDEX = '{dead-letters}';

const ADD = "return {redis.call('zadd', KEYS[1], 0, ARGV[1])}";
const REMOVE = "for _, key in ipairs(ARGV) do redis.call('zrem', KEYS[1], key) end return {}";
const RANGE = `local found = redis.call('zrangebylex', KEYS[1], ARGV[1], '+', 'limit', 0, ARGV[2])
for i, key in ipairs(found) do found[i] = '=' .. key end
return found`;

/**
 * The sorted keys of dead letters, to list them. A key is added before its letter is written, and removed after its
 * letter is removed. So a process that dies in between may leave a key without a letter, but never a letter without a
 * key.
 */
function letterIndex({ single }: Runner) {
  return {
    add: (key: string) => single(ADD, INDEX, [key]),
    /** Never rejects: `list` removes keys that were left. */
    remove: async (keys: readonly string[]) => keys.length > 0 && single(REMOVE, INDEX, keys).catch(ignore),
    /** Returns at most `count` keys. */
    async range(after: string | undefined, count: number) {
      const found = await single(RANGE, INDEX, [after === undefined ? '-' : `(${after}`, String(count)]);
      return found.map((key) => textOf(key).slice(1));
    },
  };
}

/** How many letters are read at once: each may be large. */
const CHUNK = 100;

/** Dead letters, and what removes keys of handled ones from their index. */
export function redisLetters(
  runner: Runner,
  { retentionMs, timeoutMs }: { readonly retentionMs: number; readonly timeoutMs: number },
): LetterStore & { readonly settle: (keys: readonly string[]) => Promise<unknown> } {
  const index = letterIndex(runner);
  async function count(key: string, failure: Failure, id: string, isIndexed: 'yes' | 'no'): Promise<string> {
    const { afterAttempts, afterMs, code, message, letter } = failure;
    const limits = [whole(retentionMs), String(afterAttempts), String(afterMs), isIndexed];
    const texts = [JSON.stringify(storableArrival(failure)), readableText(code), readableText(message), letter];
    const [answer] = await runner.single(FAIL, key, [id, ...limits, ...texts]);
    return textOf(answer);
  }

  return {
    settle: index.remove,
    async fail(key, failure) {
      if (failure.isUnknown) return undefined;
      const id = crypto.randomUUID();
      try {
        const answer = await count(key, failure, id, 'no');
        if (answer !== 'index') return failedOf(answer);
        // Added before the letter is written, so that the list misses no letter.
        await index.add(key);
        return failedOf(await count(key, failure, id, 'yes'));
      } catch (error) {
        throw storeError(`${NOT_KEPT} (${failure.letter.length} characters)`, error);
      }
    },
    async look(keys) {
      return new Map([...(await readRows(runner, keys))].flatMap(([key, row]) => letterOf(key, row)));
    },
    async list({ source, after, limit }) {
      const elapsedMs = stopwatch();
      const wanted = source === undefined ? undefined : storableArrival({ source }).source;
      const letters = new Map<string, StoredLetter>();
      let next = after;
      do {
        // Some of these keys may be letters of other sources.
        const most = source === undefined ? Math.min(CHUNK, limit - letters.size) : CHUNK;
        const keys = await index.range(next, most);
        const rows = await readRows(runner, keys);
        await index.remove(keys.filter((key) => rows.get(key)?.state === 'done'));
        for (const key of keys) {
          if (letters.size === limit) return { letters, next };
          const row = rows.get(key);
          const isWanted = row && (wanted === undefined || row.record?.source === wanted);
          if (isWanted) for (const letter of letterOf(key, row)) letters.set(...letter);
          next = key;
        }
        if (keys.length < most) return { letters };
      } while (letters.size < limit && elapsedMs() < timeoutMs / 2);
      return { letters, next };
    },
    async discard(keys) {
      if (keys.length === 0) return new Set();
      const answers = await runner.apart(DISCARD, keys, [whole(retentionMs), crypto.randomUUID()]);
      const discarded = keys.filter((_, at) => understood(answers[at], ['discarded', 'kept']) === 'discarded');
      await index.remove(discarded);
      return new Set(discarded);
    },
  };
}

function failedOf(answer: string): Failed | undefined {
  const [, attempts, first, state] = /^=(\d+):(\d+):(dead|failed)$/.exec(answer) ?? [];
  if (state === undefined) return void understood(answer, ['taken']);
  return { attempts: Number(attempts), firstFailedAt: Number(first), isDead: state === 'dead' };
}

/** An entry if the row is a dead letter. */
function letterOf(key: string, { letter, record, ...row }: Row): [string, StoredLetter][] {
  if (letter === undefined) return [];
  const { code = '', message = '', attempts = 0, firstFailedAt = 0, lastFailedAt = 0 } = row;
  return [[key, { letter, source: record?.source, code, message, attempts, firstFailedAt, lastFailedAt }]];
}

const NOT_KEPT = 'Redis did not keep the failure of an event, so the event will be redelivered';

function ignore(): void {}
