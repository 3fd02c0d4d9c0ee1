import { stopwatch } from '../../internal/deadline.js';
import { storeError } from '../bounded-calls.js';
import { readableText } from '../storable.js';
import type { Failed, Failure, LetterStore, StoredLetter } from '../store.js';
import { DISCARD, FAIL, FIELDS, LOOK } from './failed-scripts.js';
import type { LetterIndex } from './letter-index.js';
import { type Runner, textOf, understood, unexpected, whole } from './runner.js';

/** How many letters are read at once: each may be large. */
const CHUNK = 100;

export function redisLetters(
  runner: Runner,
  index: LetterIndex,
  { retentionMs, timeoutMs }: { readonly retentionMs: number; readonly timeoutMs: number },
): LetterStore {
  /** Reads letters, and which of the other keys took effect. */
  async function read(keys: readonly string[], source?: string) {
    const letters = new Map<string, StoredLetter>();
    const done: string[] = [];
    if (keys.length === 0) return { letters, done };
    const answers = await runner.apart(LOOK, keys, source === undefined ? [] : [readableText(source)]);
    for (const [at, key] of keys.entries()) {
      const answer = answers[at];
      if (Array.isArray(answer)) letters.set(key, letterOf(answer));
      else if (understood(answer, ['none', 'done']) === 'done') done.push(key);
    }
    return { letters, done };
  }

  return {
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
      const letters = new Map<string, StoredLetter>();
      for (let start = 0; start < keys.length; start += CHUNK) {
        for (const entry of (await read(keys.slice(start, start + CHUNK))).letters) letters.set(...entry);
      }
      return letters;
    },
    async list({ source, after, limit }) {
      const elapsedMs = stopwatch();
      const letters = new Map<string, StoredLetter>();
      let next = after;
      do {
        // Some of these keys may be letters of other sources.
        const most = source === undefined ? Math.min(CHUNK, limit - letters.size) : CHUNK;
        const keys = await index.range(next, most);
        const found = await read(keys, source);
        await index.remove(found.done);
        for (const key of keys) {
          if (letters.size === limit) return { letters, next };
          const letter = found.letters.get(key);
          if (letter) letters.set(key, letter);
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

  async function count(key: string, failure: Failure, id: string, isIndexed: 'yes' | 'no'): Promise<string> {
    const { afterAttempts, afterMs, code, message, letter, source } = failure;
    const limits = [whole(retentionMs), String(afterAttempts), String(afterMs), isIndexed];
    const texts = [readableText(code), readableText(message), letter];
    if (source !== undefined) texts.push(readableText(source));
    const [answer] = await runner.single(FAIL, key, [id, ...limits, ...texts]);
    return textOf(answer);
  }
}

function failedOf(answer: string): Failed | undefined {
  const [, attempts, first, state] = /^=(\d+):(\d+):(dead|free)$/.exec(answer) ?? [];
  if (state === undefined) return void understood(answer, ['taken']);
  return { attempts: Number(attempts), firstFailedAt: Number(first), isDead: state === 'dead' };
}

/** Each field begins with `=`; a missing field is empty. */
function letterOf(answer: readonly unknown[]): StoredLetter {
  if (answer.length !== FIELDS.length) throw unexpected();
  const texts = answer.map(textOf);
  const [letter = '', code = '', message = '', attempts, firstFailedAt, lastFailedAt] = texts.map((text) =>
    text.slice(1),
  );
  const source = texts[FIELDS.indexOf('source')];
  return {
    letter,
    source: source ? source.slice(1) : undefined,
    code,
    message,
    attempts: Number(attempts),
    firstFailedAt: Number(firstFailedAt),
    lastFailedAt: Number(lastFailedAt),
  };
}

const NOT_KEPT = 'Redis did not keep the failure of an event, so the event will be redelivered';
