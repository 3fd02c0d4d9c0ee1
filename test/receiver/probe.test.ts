import { describe, expect, it } from 'vitest';
import { probe } from '../../src/handle/probe.js';
import type { IdempotencyStore } from '../../src/index.js';
import { nothing } from '../contracts/store-helpers.js';

const storeOf = (once: IdempotencyStore['once']): IdempotencyStore => ({ once });

describe('probe', () => {
  it.each([
    ['duplicate', 'handled'],
    ['in-progress', 'in-progress'],
  ] as const)('takes the word %s for %s', async (word, state) => {
    expect(
      await probe(
        storeOf(async () => word),
        'a',
        1000,
      ),
    ).toBe(state);
  });

  it('takes a key for missing if the store gave it to the run, whatever error the store makes of its failure', async () => {
    const wrapping = storeOf(async (_key, run) => {
      await run().catch(() => {
        throw new Error('rolled back');
      });
      return 'handled';
    });
    expect(await probe(wrapping, 'a', 1000)).toBe('missing');
  });

  it('ends a transaction that commits in the turn of its run, with an error', async () => {
    const returned: unknown[] = [];
    let turn: unknown[] = [];
    const synchronous = storeOf(async (_key, run) => {
      const running = run(undefined, { onReturn: (error) => returned.push(error) });
      turn = [...returned];
      await running;
      return 'handled';
    });
    expect(await probe(synchronous, 'a', 1000)).toBe('missing');
    expect(turn).toEqual([new Error('This run only asks whether the key took effect.')]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('away'))],
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['never answers', () => new Promise<never>(() => {})],
    ['says handled without a run', async () => 'handled' as const],
    ['answers something else', async () => 'yes' as never],
    [
      'says handled after a failed run',
      async (_key: string, run: () => Promise<void>) => {
        await run().catch(nothing);
        return 'handled' as const;
      },
    ],
    [
      'says duplicate after a failed run',
      async (_key: string, run: () => Promise<void>) => {
        await run().catch(nothing);
        return 'duplicate' as const;
      },
    ],
  ])('fails with ERR_WEBHOOK_STORE if the store %s', async (_what, once) => {
    await expect(probe(storeOf(once as IdempotencyStore['once']), 'a', 20)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
    });
  });

  it('says so if the store never answers', async () => {
    await expect(
      probe(
        storeOf(() => new Promise(nothing)),
        'a',
        5,
      ),
    ).rejects.toMatchObject({
      cause: new Error('The store did not answer in time.'),
    });
  });
});
