import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/stores/memory.js';
import { DELIVERY, type LeaseStore, type Step } from '../../src/stores/store.js';
import { describeLetters, failure } from '../contracts/letters.js';
import { describeLogs } from '../contracts/logs.js';
import { describeRecords } from '../contracts/records.js';

const make = () => {
  let time = Date.now();
  const store = memoryStore({ now: () => time });
  return {
    store,
    expire: async () => {
      time += store.leaseMs + 1;
    },
  };
};

describe('dead letters in memory', () => {
  describeLetters(make);

  it('refuses a letter that has no room, and forgets none', async () => {
    const { letters } = memoryStore({ maxLetters: 1 });
    const now = failure({ afterAttempts: 1 });
    await letters?.fail('first', now);
    await expect(letters?.fail('second', now)).rejects.toThrow(/maxLetters/);
    expect(await letters?.fail('first', now)).toMatchObject({ attempts: 2, isDead: true });
    expect([...((await letters?.list({ limit: 10 }))?.letters.keys() ?? [])]).toEqual(['first']);
    expect(await letters?.discard(['first'])).toEqual(new Set(['first']));
    expect(await letters?.fail('second', now)).toMatchObject({ attempts: 1, isDead: true });
  });
});

describe('records in memory', () => {
  describeRecords({ keepsArrival: true, finds: true }, make);

  async function take(store: LeaseStore, key: string, step: Step) {
    await store.claim([key], 'owner', step);
    await store.record([key], 'owner', step);
    return (await store.records?.look([key]))?.get(key)?.state;
  }

  it('says whether the effect of a log is applied', async () => {
    const store = memoryStore();
    const logs = new Map([['key', { chain: '1', blockNumber: 1, blockHash: '0x1', letter: '{}' }]]);
    expect(await take(store, 'key', { from: 'free', to: 'applied', logs })).toBe('handled');
    const transitions = new Map([['key', 1]]);
    expect(await take(store, 'key', { from: 'applied', to: 'reverted', transitions })).toBe('reverted');
  });

  it('finds at most a hundred keys of an id', async () => {
    const store = memoryStore();
    for (let at = 0; at < 101; at++) {
      const records = new Map([
        [`key ${at}`, { kind: 'event.emitted', eventId: 'same', via: 'webhook', receivedAt: 1 }],
      ]);
      await take(store, `key ${at}`, { ...DELIVERY, records });
    }
    expect((await store.records?.find?.('same'))?.size).toBe(100);
  });
});

describe('logs in memory', () => describeLogs(() => ({ store: memoryStore() })));
