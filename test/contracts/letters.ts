import { expect, it } from 'vitest';
import { DELIVERY, type Failure, type LeaseStore, RETRY, type TransactionalStore } from '../../src/stores/store.js';

/** A store of either kind, and its server with a clock that the test can wait for. */
export interface LettersGround {
  readonly store: LeaseStore | TransactionalStore<never>;
  /** Ends the lease of what is held now. */
  expire(): Promise<void>;
  /** Leaves the key of a transaction open, as a handler that ends it does; absent for leases. */
  leaveOpen?(key: string): Promise<void>;
}

export const failure = (more: Partial<Failure> = {}): Failure => ({
  letter: '{"id":"1"}',
  source: undefined,
  code: 'ERR_WEBHOOK_HANDLER',
  message: 'No such account.',
  afterAttempts: 3,
  afterMs: 0,
  isUnknown: false,
  ...more,
});
const NOW: Partial<Failure> = { afterAttempts: 1 };

/** Runs that end as told, on a store of either kind. */
export function runsOf(store: LettersGround['store']) {
  const isLeased = 'claim' in store;

  /** Claims keys, and ends as told: resolves to the words. */
  async function run(keys: string[], { step = DELIVERY, how = 'done' as 'done' | 'failed' | 'killed' } = {}) {
    if (isLeased) {
      const owner = crypto.randomUUID();
      const answers = await store.claim(keys, owner, step);
      const claimed = keys.filter((key) => typeof answers.get(key) === 'object');
      if (how === 'failed') await store.release(claimed, owner);
      if (how === 'done' && claimed.length > 0) await store.record(claimed, owner, step);
      return keys.map((key) => {
        const answer = answers.get(key);
        return typeof answer === 'object' ? (answer.abandoned ? 'abandoned' : 'handled') : answer;
      });
    }
    const controller = new AbortController();
    const limit = { signal: controller.signal, deadline: Date.now() + 10_000 };
    const begin = () => {
      if (how !== 'done') throw new Error('The handler failed.');
    };
    try {
      const words = await store.once(keys, step, begin, limit);
      return keys.map((key) => words.get(key));
    } catch {
      return keys.map(() => 'failed');
    }
  }
  return { isLeased, run };
}

/** What each store with dead letters must do. */
export function describeLetters(make: () => Promise<LettersGround> | LettersGround): void {
  let names = 0;
  const newKey = () => `event.emitted:letters-${process.pid}-${Date.now()}-${names++}`;

  async function ground() {
    const { store, ...more } = await make();
    const letters = store.letters;
    if (letters === undefined) throw new Error('The store has no letters.');
    return { ...more, letters, ...runsOf(store) };
  }

  it('counts failures, and makes a dead letter at the limit', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await run([key], { how: 'failed' });
    const first = await letters.fail(key, failure());
    expect(first).toMatchObject({ attempts: 1, isDead: false });
    expect(await letters.look([key])).toEqual(new Map());
    await run([key], { how: 'failed' });
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2, isDead: false });
    await run([key], { how: 'failed' });
    const dead = await letters.fail(key, failure({ source: 'mainnet', letter: '{"id":"2"}' }));
    expect(dead).toEqual({ attempts: 3, firstFailedAt: first?.firstFailedAt, isDead: true });
    expect((await letters.look([key])).get(key)).toEqual({
      letter: '{"id":"2"}',
      source: 'mainnet',
      code: 'ERR_WEBHOOK_HANDLER',
      message: 'No such account.',
      attempts: 3,
      firstFailedAt: first?.firstFailedAt,
      lastFailedAt: expect.any(Number),
    });
    expect(Math.abs(Number(first?.firstFailedAt) - Date.now())).toBeLessThan(60_000);
  });

  it('makes no dead letter before its time, however often a key has failed', async () => {
    const { letters } = await ground();
    const key = newKey();
    for (let attempts = 1; attempts < 5; attempts++) {
      const failed = await letters.fail(key, failure({ ...NOW, afterMs: 3_600_000 }));
      expect(failed).toMatchObject({ attempts, isDead: false });
    }
  });

  it('counts from the first failure of a key, and leaves others alone', async () => {
    const { letters } = await ground();
    const [key, other] = [newKey(), newKey()];
    const [first] = await Promise.all([letters.fail(key, failure()), letters.fail(other, failure())]);
    await letters.fail(key, failure());
    expect(await letters.fail(other, failure())).toMatchObject({ attempts: 2 });
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 3, firstFailedAt: first?.firstFailedAt });
  });

  it('lets a key that has failed run again at once', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await run([key], { how: 'failed' });
    await letters.fail(key, failure());
    expect(await run([key])).toEqual(['handled']);
    expect(await letters.fail(key, failure(NOW))).toBeUndefined();
    expect(await letters.look([key])).toEqual(new Map());
  });

  it('counts nothing for a key that took effect', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await run([key]);
    expect(await letters.fail(key, failure(NOW))).toBeUndefined();
    expect(await letters.fail(key, failure({ ...NOW, isUnknown: true }))).toBeUndefined();
    expect(await run([key])).toEqual(['duplicate']);
  });

  it('keeps the key of a dead letter from deliveries', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await letters.fail(key, failure(NOW));
    const other = newKey();
    expect(await run([key, other])).toEqual(['duplicate', 'handled']);
    expect((await letters.look([key])).size).toBe(1);
  });

  it('retries a dead letter once, and forgets it then', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await letters.fail(key, failure(NOW));
    const words = await Promise.all([run([key], { step: RETRY }), run([key], { step: RETRY })]);
    expect(words.flat().filter((word) => word === 'handled')).toHaveLength(1);
    expect(await letters.look([key])).toEqual(new Map());
    expect(await run([key], { step: RETRY })).toEqual(['duplicate']);
    expect(await run([key])).toEqual(['duplicate']);
  });

  it('keeps a dead letter whose retry failed, with one attempt more', async () => {
    const { letters, run } = await ground();
    const key = newKey();
    await letters.fail(key, failure(NOW));
    await run([key], { step: RETRY, how: 'failed' });
    expect(await letters.fail(key, failure({ code: 'E_OTHER' }))).toMatchObject({ attempts: 2, isDead: true });
    expect((await letters.look([key])).get(key)).toMatchObject({ attempts: 2, code: 'E_OTHER' });
    expect(await run([key])).toEqual(['duplicate']);
    expect(await run([key], { step: RETRY })).toEqual(['handled']);
  });

  it('retries no key that is not a dead letter', async () => {
    const { letters, run } = await ground();
    const [missing, failed] = [newKey(), newKey()];
    await letters.fail(failed, failure());
    expect(await run([missing, failed], { step: RETRY })).toEqual(['duplicate', 'duplicate']);
    expect(await run([missing, failed])).toEqual(['handled', 'handled']);
  });

  it('keeps a dead letter whose retry was killed', async () => {
    const { letters, run, isLeased, expire } = await ground();
    if (!isLeased) return;
    const key = newKey();
    await letters.fail(key, failure(NOW));
    await run([key], { step: RETRY, how: 'killed' });
    expect(await run([key], { step: RETRY })).toEqual(['in-progress']);
    expect(await letters.discard([key])).toEqual(new Set());
    expect(await letters.fail(key, failure(NOW))).toBeUndefined();
    await expire();
    expect(await letters.look([key])).toHaveProperty('size', 1);
    expect(await run([key])).toEqual(['duplicate']);
    expect(['handled', 'abandoned']).toContain((await run([key], { step: RETRY }))[0]);
  });

  it('tells that a run was killed', async () => {
    const { letters, run, isLeased, expire } = await ground();
    if (!isLeased) return;
    const key = newKey();
    expect(await run([key], { how: 'killed' })).toEqual(['handled']);
    expect(await letters.fail(key, failure(NOW))).toBeUndefined();
    await expire();
    expect(await run([key], { how: 'failed' })).toEqual(['abandoned']);
    await letters.fail(key, failure());
    expect(await run([key], { how: 'failed' })).toEqual(['handled']);
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2 });
  });

  it('makes a dead letter of a key whose outcome is unknown', async () => {
    const { letters, run, leaveOpen } = await ground();
    const key = newKey();
    // Only such a key.
    expect(await letters.fail(key, failure({ isUnknown: true }))).toBeUndefined();
    if (leaveOpen === undefined) return;
    await leaveOpen(key);
    expect(await letters.fail(key, failure())).toBeUndefined();
    expect(await run([key])).toEqual(['unknown']);
    expect(await letters.fail(key, failure({ isUnknown: true, code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' }))).toMatchObject({
      attempts: 1,
      isDead: true,
    });
    expect(await run([key])).toEqual(['duplicate']);
    expect((await letters.look([key])).get(key)).toMatchObject({ code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' });
    expect(await run([key], { step: RETRY })).toEqual(['handled']);
  });

  it('lists dead letters page by page, each once', async () => {
    const { letters } = await ground();
    const keys = Array.from({ length: 5 }, newKey);
    const source = `source ${keys[0]}`;
    for (const key of keys) await letters.fail(key, failure({ ...NOW, source }));
    await letters.fail(newKey(), failure({ ...NOW, source: 'other' }));
    await letters.fail(newKey(), failure({ source }));
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await letters.list({ source, after, limit: 2 });
      expect(page.letters.size).toBeLessThanOrEqual(2);
      found.push(...page.letters.keys());
      after = page.next;
    } while (after !== undefined);
    expect(found.sort()).toEqual([...keys].sort());
    const all = await letters.list({ limit: 100_000 });
    for (const key of keys) expect(all.letters.get(key)).toMatchObject({ source, attempts: 1 });
  });

  it('discards dead letters, whose keys then count as done', async () => {
    const { letters, run } = await ground();
    const [key, failed] = [newKey(), newKey()];
    await letters.fail(key, failure(NOW));
    await letters.fail(failed, failure());
    expect(await letters.discard([key, failed, newKey()])).toEqual(new Set([key]));
    expect(await letters.look([key])).toEqual(new Map());
    expect(await run([key])).toEqual(['duplicate']);
    expect(await run([key], { step: RETRY })).toEqual(['duplicate']);
    expect(await run([failed])).toEqual(['handled']);
  });

  it('keeps text as it is: NUL, quotes, escapes, placeholders, other scripts', async () => {
    const { letters } = await ground();
    const key = `${newKey()} 'key' \u0000 % ?`;
    const letter = JSON.stringify({ text: `\u0000'"\\ $1 ? ?? :x @x % \u2028 \ud800 鍵`, __proto__x: 1 });
    const message = `It's "no" \\ $1 ? :name \u00e9 鍵`;
    await letters.fail(key, failure({ ...NOW, letter, message, source: `a'b ? 鍵` }));
    expect((await letters.look([key])).get(key)).toMatchObject({ letter, message, source: `a'b ? 鍵` });
    // What no database can keep is replaced.
    const other = newKey();
    await letters.fail(other, failure({ ...NOW, message: 'a\u0000b\ud800c' }));
    expect((await letters.look([other])).get(other)?.message).toMatch(/^a.b.c$/su);
  });
}
