import type { IdempotencyStore } from 'event-webhook-receiver';
import { type Call, nothing, RETRY, type StoreWord, throwing, unique, wordsOf } from './call.js';
import type { Cases, Trial } from './trial.js';
import { settled } from './waiting.js';
import { failure, LOST, show, TWICE } from './words.js';

type Letters = NonNullable<IdempotencyStore['letters']>;
type Failure = Parameters<Letters['fail']>[1];
type StoredLetter = NonNullable<ReturnType<Awaited<ReturnType<Letters['look']>>['get']>>;

const FAILED: Failure = {
  letter: '{"id":"1"}',
  source: undefined,
  code: 'ERR_WEBHOOK_HANDLER',
  message: 'No such account.',
  afterAttempts: 3,
  afterMs: 0,
  isUnknown: false,
};
const FINAL: Partial<Failure> = { afterAttempts: 1 };

const GONE = 'an event that failed for good is neither handled nor kept, and nobody learns of it';
const MISCOUNTED = 'events become dead letters too early, or are answered 500 until the sender disables the webhook';
const HELD = 'a dead letter is handled again by a redelivery, beside the retry of an operator';
const MISLED = 'operators see other dead letters than there are';

/** A store with its letters, on two replicas, and the expectations of both. */
async function kept<Tx>(trial: Trial<Tx>) {
  const [store, other] = await trial.replicas();
  const letters = store.letters as Letters;
  const fail = async (key: string, more: Partial<Failure> = {}) =>
    settled('letters.fail', () => letters.fail(key, { ...FAILED, ...more }));
  return {
    ...{ store, other, letters, fail },
    retry: (by: IdempotencyStore<Tx>, key: string, work = nothing) => trial.call(by, key, work, RETRY),
    /** Counts a failure, and expects this many attempts. */
    async counted(key: string, attempts: number, isDead: boolean, more: Partial<Failure> = {}) {
      const found = await fail(key, more);
      if (found?.attempts === attempts && found.isDead === isDead) return found;
      const expected = `${attempts} attempts, ${isDead ? '' : 'not '}dead`;
      const got = found ? `${found.attempts} attempts, ${found.isDead ? '' : 'not '}dead` : 'undefined';
      throw failure('`letters.fail` counts a failure', expected, got, MISCOUNTED);
    },
    /** Expects that these of the keys are dead letters, on the other replica. */
    async dead(keys: readonly string[], expected: readonly string[], what: string) {
      const found = await settled('letters.look', () => (other.letters as Letters).look(keys));
      const dead = keys.filter((key) => found.has(key));
      if (!isSame(dead, expected)) throw failure(what, show(expected), show(dead), GONE);
      return found;
    },
  };
}

/** Whether two lists of keys are the same. Their texts in messages are cut. */
const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((key, at) => key === others[at]);

/** Expects the word for the key without a run, because a dead letter holds it. */
async function notRun<Tx>(trial: Trial<Tx>, call: Call, word: StoreWord, what: string): Promise<void> {
  await trial.answers(call, word, what);
  trial.notRun(call, what, HELD);
}

export const letterCases: Cases = {
  async 'counts failures, and makes a dead letter at both limits'(trial) {
    const { store, counted, dead } = await kept(trial);
    const [key, early] = [unique(), unique()];
    await trial.rethrows(trial.call(store, key, throwing), 'A run failed');
    const { firstFailedAt } = await counted(key, 1, false);
    await counted(key, 2, false);
    await dead([key], [], 'A key has failed twice of three times');
    await counted(early, 1, false, { ...FINAL, afterMs: 3_600_000 });
    await counted(key, 3, true, { letter: '{"id":"2"}', source: 'mainnet' });
    const found = await dead([key, early], [key], 'A key has failed three times');
    const { lastFailedAt, ...rest } = found.get(key) as StoredLetter;
    const { code, message } = FAILED;
    const expected = { letter: '{"id":"2"}', source: 'mainnet', code, message, attempts: 3, firstFailedAt };
    for (const [name, value] of Object.entries(expected)) {
      const got = (rest as Record<string, unknown>)[name];
      if (got !== value) throw failure(`The \`${name}\` of a dead letter`, show(value), show(got), MISLED);
    }
    if (!(lastFailedAt >= firstFailedAt)) {
      throw failure('`lastFailedAt`', `at least ${firstFailedAt}`, show(lastFailedAt), MISLED);
    }
  },

  async 'lets a key that has failed run again, and counts nothing once it took effect'(trial) {
    const { store, other, fail, counted, dead } = await kept(trial);
    const key = unique();
    await counted(key, 1, false);
    await trial.handled(trial.call(other, key), 'An event that has failed once is redelivered');
    const found = await fail(key, FINAL);
    const what = 'A failure is counted late, after a redelivery took effect';
    if (found !== undefined) throw failure(what, 'undefined', 'a count', TWICE);
    await dead([key], [], what);
    await trial.duplicate(store, key, what);
  },

  async 'keeps the key of a dead letter from deliveries, with its text as it was'(trial) {
    const { store, counted, dead } = await kept(trial);
    const [key, other] = [`${unique()} 'key' \0 % ?`, unique()];
    const letter = JSON.stringify({ text: `\0'"\\ $1 ? ?? :x @x % \u2028 \ud800 鍵` });
    const message = `It's "no" \\ $1 ? :name \u00e9 鍵`;
    await counted(key, 1, true, { ...FINAL, letter, message, source: `a'b ? 鍵` });
    const what = 'An event that is a dead letter is redelivered';
    const call = trial.call(store, [key, other]);
    await trial.answers(call, ['duplicate', 'handled'], what);
    if (call.runs.some((keys) => keys.includes(key))) throw failure(what, 'no run of its key', 'one', HELD);
    const found = (await dead([key], [key], what)).get(key);
    for (const [name, text] of Object.entries({ letter, message, source: `a'b ? 鍵` })) {
      const got = found?.[name as 'letter'];
      if (got !== text) throw failure(`The \`${name}\` of a dead letter`, show(text), show(got), GONE);
    }
  },

  async 'retries a dead letter once, and removes it with its effect'(trial) {
    const { store, other, retry, counted, dead } = await kept(trial);
    const key = unique();
    await counted(key, 1, true, FINAL);
    const calls = [store, other].map((by) => retry(by, key));
    const what = 'Two operators retry a dead letter at once';
    for (const call of calls) await trial.oneOf(call, ['handled', 'duplicate', 'in-progress'], what);
    const handled = calls.filter(({ outcome }) => wordsOf(outcome).includes('handled')).length;
    if (handled !== 1) throw failure(what, "'handled' once", `${handled} times`, handled > 1 ? TWICE : GONE);
    await dead([key], [], 'The retry of a dead letter succeeded');
    await notRun(trial, retry(store, key), 'duplicate', 'A key is retried that is no longer a dead letter');
    await trial.duplicate(other, key, 'An event took effect in the retry of its dead letter');
  },

  async 'keeps a dead letter whose retry failed, with one attempt more'(trial) {
    const { store, other, retry, counted, dead } = await kept(trial);
    const key = unique();
    await counted(key, 1, true, FINAL);
    await trial.rethrows(retry(store, key, throwing), 'The retry of a dead letter failed');
    await counted(key, 2, true);
    await dead([key], [key], 'The retry of a dead letter failed');
    await notRun(trial, trial.call(other, key), 'duplicate', 'The event of a dead letter is redelivered');
    await trial.handled(retry(other, key), 'A dead letter is retried again');
  },

  async 'retries no key that is not a dead letter'(trial) {
    const { store, other, retry, counted } = await kept(trial);
    const [missing, failed] = [unique(), unique()];
    await counted(failed, 1, false);
    for (const key of [missing, failed]) {
      await notRun(trial, retry(store, key), 'duplicate', 'A key that is not a dead letter is retried');
      await trial.handled(trial.call(other, key), 'An event arrives whose key was retried, but was not a dead letter');
    }
  },

  async 'lists each dead letter once, by source and in pages'(trial) {
    const { letters, counted } = await kept(trial);
    const [source, keys] = [`source ${unique()}`, Array.from({ length: 5 }, unique)];
    for (const key of keys) await counted(key, 1, true, { ...FINAL, source });
    await counted(unique(), 1, true, { ...FINAL, source: 'other' });
    await counted(unique(), 1, false, { source });
    const found: string[] = [];
    let after: string | undefined;
    do {
      const from = after;
      const page = await settled('letters.list', () => letters.list({ source, after: from, limit: 2 }));
      if (page.letters.size > 2) throw failure('A page of 2 dead letters', 'at most 2', `${page.letters.size}`, MISLED);
      found.push(...page.letters.keys());
      after = page.next;
    } while (after !== undefined && found.length <= keys.length);
    const expected = [...keys].sort();
    if (!isSame(found.sort(), expected)) {
      throw failure('All pages of a source', show(expected), show(found), MISLED);
    }
  },

  async 'discards dead letters, whose keys then count as done'(trial) {
    const { store, other, letters, retry, counted, dead } = await kept(trial);
    const [key, failed] = [unique(), unique()];
    await counted(key, 1, true, FINAL);
    await counted(failed, 1, false);
    const asked = [key, failed, unique()];
    const discarded = [...(await settled('letters.discard', () => letters.discard(asked)))];
    if (!isSame(discarded, [key])) {
      throw failure('Keys are discarded, one of them a dead letter', show([key]), show(discarded), LOST);
    }
    await dead([key], [], 'A dead letter was discarded');
    await trial.duplicate(other, key, 'The event of a discarded dead letter is redelivered');
    await notRun(trial, retry(store, key), 'duplicate', 'A discarded dead letter is retried');
    await trial.handled(
      trial.call(store, failed),
      'An event that had failed, and was no dead letter to discard, is redelivered',
    );
  },
};
