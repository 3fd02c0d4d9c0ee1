import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/stores/memory.js';
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

describe('records in memory', () => describeRecords({ keepsArrival: true, finds: true }, make));

describe('logs in memory', () => describeLogs(() => ({ store: memoryStore() })));
