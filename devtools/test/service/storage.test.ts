import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/fixtures/property.js';
import type { Delivery } from '../../src/service/delivery.js';
import { apply, emptyState, type State } from '../../src/service/state.js';
import { fileStorage, memoryStorage } from '../../src/service/storage.js';
import { history, LIMITS, newFile, oneEmitted, same, using } from './storages.js';

const record = {
  ...{ id: 1, label: 'a', url: 'https://example.com/', subscriptions: [], secret: 's', failedCalls: 0 },
  ...{ createdAt: '', updatedAt: '' },
};

describe('a file', () => {
  it('restores the state, trimmed as in memory', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history({ maxLength: 30 }), async (operations) => {
        const file = newFile();
        const memory = memoryStorage(LIMITS);
        const before = await using(fileStorage(file, LIMITS), ({ state, commit }) => {
          for (const each of operations) {
            const dropped = memory.commit(each(memory.state));
            expect(commit(each(state)).map(({ id }) => id)).toEqual(dropped.map(({ id }) => id));
          }
          return same(state);
        });
        expect(before).toBe(same(memory.state));
        expect(await using(fileStorage(file, LIMITS), ({ state }) => same(state))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('does not grow when its webhooks exceed their limits', async () => {
    const file = newFile();
    await using(fileStorage(file, { events: 10, bytes: 1_000_000 }), ({ state, commit }) => {
      commit({ webhook: record });
      for (let count = 0; count < 2000; count++) commit(oneEmitted(state, 'x'.repeat(10_000)));
    });
    expect(statSync(file).size).toBeLessThan(500_000);
  });
});

describe('the log of a webhook', () => {
  const emit = (state: State, events: number, body = '[]') => apply(state, oneEmitted(state, body, events));

  it('is bounded in events: the oldest delivery is dropped, and returned if it was pending', () => {
    const state = emptyState({ events: 5, bytes: 1000 });
    apply(state, { webhook: record });
    expect([emit(state, 2), emit(state, 2)]).toEqual([[], []]);
    const first = state.webhooks.get(1)?.deliveries.get(1) as Delivery;
    apply(state, { deliveries: [{ ...first, state: 'delivered' }] });
    expect(emit(state, 2)).toEqual([]);
    expect(emit(state, 2)).toMatchObject([{ id: 2, state: 'given-up' }]);
    const kept = state.webhooks.get(1);
    expect([...(kept?.deliveries.keys() ?? [])]).toEqual([3, 4]);
    expect([kept?.pending.size, kept?.events, kept?.bytes]).toEqual([2, 4, 4]);
  });

  it('of a removed webhook gets nothing, and the ids given to it are not given again', () => {
    const state = emptyState();
    apply(state, { webhook: record });
    apply(state, { removed: 1 });
    expect(emit(state, 2)).toEqual([]);
    expect([state.webhooks.size, state.next]).toEqual([0, { webhook: 2, delivery: 2, event: 3 }]);
  });

  it('is bounded in bytes, but keeps the latest delivery', () => {
    const state = emptyState({ events: 1000, bytes: 10 });
    apply(state, { webhook: record });
    emit(state, 1, 'x'.repeat(6));
    expect(emit(state, 1, 'x'.repeat(6))).toMatchObject([{ id: 1 }]);
    expect(emit(state, 1, 'x'.repeat(60))).toMatchObject([{ id: 2 }]);
    expect(state.webhooks.get(1)?.bytes).toBe(60);
  });
});
