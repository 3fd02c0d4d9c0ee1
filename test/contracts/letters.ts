import { expect, it } from 'vitest';
import { letterCases } from '../../devtools/src/store-contract/letters.js';
import { Trial } from '../../devtools/src/store-contract/trial.js';
import {
  DELIVERY,
  type Failure,
  type IdempotencyStore,
  type LeaseStore,
  RETRY,
  type TransactionalStore,
} from '../../src/stores/store.js';
import { onceEach } from '../stores/calls.js';

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
    const work = () => {
      if (how !== 'done') throw new Error('The handler failed.');
    };
    return onceEach(store, keys, work, step).catch(() => keys.map(() => 'failed'));
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

  for (const [title, run] of Object.entries(letterCases)) {
    it(title, async () => {
      const { store } = await make();
      const trial = new Trial(() => store as IdempotencyStore<unknown>, {
        ...{ test: it, shared: false, letters: true },
        effects: 'once' in store ? { write: () => {}, count: () => 0 } : undefined,
      });
      await run(trial).finally(() => trial.end());
    });
  }

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
    expect(await run([key], { how: 'killed' })).toEqual(['handled']);
    for (const how of ['killed', 'failed'] as const) {
      await expire();
      expect(await run([key], { how })).toEqual(['abandoned']);
    }
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2 });
  });

  it('loses its letter to a run that takes effect although its lease has ended', async () => {
    const { store, expire } = await make();
    if (!('claim' in store)) return;
    const [key, owner] = [newKey(), crypto.randomUUID()];
    await store.claim([key], owner, DELIVERY);
    await expire();
    await store.letters?.fail(key, failure(NOW));
    expect(await store.letters?.look([key])).toHaveProperty('size', 1);
    expect(await store.record([key], owner, DELIVERY)).toEqual(new Map([[key, true]]));
    expect(await store.letters?.look([key])).toEqual(new Map());
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

  it('counts each of four failures at once', async () => {
    const { letters } = await ground();
    const key = newKey();
    const failed = await Promise.all(Array.from({ length: 4 }, () => letters.fail(key, failure({ afterAttempts: 4 }))));
    expect(failed.map((each) => each?.attempts).sort()).toEqual([1, 2, 3, 4]);
    expect(failed.filter((each) => each?.isDead)).toHaveLength(1);
  });

  it('replaces what no database can keep as text', async () => {
    const { letters } = await ground();
    const other = newKey();
    await letters.fail(other, failure({ ...NOW, message: 'a\u0000b\ud800c' }));
    expect((await letters.look([other])).get(other)?.message).toMatch(/^a.b.c$/su);
  });
}
