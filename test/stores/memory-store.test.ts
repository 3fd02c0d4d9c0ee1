import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { deferred } from '../helpers.js';

const nothing = async () => {};
const failing = () => Promise.reject(new Error('no'));

describe('memoryStore', () => {
  it('runs once per key', async () => {
    const store = memoryStore();
    let runs = 0;
    const run = async () => {
      runs++;
    };
    expect(await store.once('a', run)).toBe('handled');
    expect(await store.once('a', run)).toBe('duplicate');
    expect(await store.once('b', run)).toBe('handled');
    expect(runs).toBe(2);
  });

  it('passes on what the run threw and lets another try', async () => {
    const store = memoryStore();
    await expect(store.once('a', failing)).rejects.toThrow('no');
    expect(await store.once('a', nothing)).toBe('handled');
  });

  it('treats a run that throws at once as one that rejects', async () => {
    const store = memoryStore();
    const throwing = () => {
      throw new Error('at once');
    };
    await expect(store.once('a', throwing)).rejects.toThrow('at once');
    expect(await store.once('a', nothing)).toBe('handled');
  });

  it('runs once for two hundred claims at the same instant; the rest wait for it', async () => {
    const store = memoryStore();
    const gate = deferred();
    let runs = 0;
    const claims = Array.from({ length: 200 }, () =>
      store.once('a', () => {
        runs++;
        return gate.promise;
      }),
    );
    gate.resolve();
    const results = await Promise.all(claims);
    expect(results.filter((each) => each === 'handled')).toHaveLength(1);
    expect(results.filter((each) => each === 'duplicate')).toHaveLength(199);
    expect(runs).toBe(1);
  });

  it('tells those that waited for a failing run that it is in progress', async () => {
    const store = memoryStore();
    const gate = deferred();
    const first = store.once('a', () => gate.promise);
    const second = store.once('a', nothing);
    gate.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await second).toBe('in-progress');
    expect(await store.once('a', nothing)).toBe('handled');
  });

  it('forgets a key when its retention is over', async () => {
    let time = 0;
    const store = memoryStore({ retentionMs: 1000, now: () => time });
    await store.once('a', nothing);
    time = 999;
    expect(await store.once('a', nothing)).toBe('duplicate');
    time = 1000;
    expect(await store.once('a', nothing)).toBe('handled');
    time = 1999;
    expect(await store.once('a', nothing)).toBe('duplicate');
  });

  it('forgets the oldest key beyond maxKeys, and no other', async () => {
    const store = memoryStore({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'd']) await store.once(key, nothing);
    expect(await store.once('b', nothing)).toBe('duplicate');
    expect(await store.once('c', nothing)).toBe('duplicate');
    expect(await store.once('d', nothing)).toBe('duplicate');
    expect(await store.once('a', nothing)).toBe('handled');
    expect(await store.once('b', nothing)).toBe('handled');
  });

  it('takes any key: empty, long, with NUL, and the names that objects have', async () => {
    const store = memoryStore();
    for (const key of ['', 'x'.repeat(10_000), 'a\0b', '__proto__', 'constructor', "' OR 1=1 --", '*']) {
      expect(await store.once(key, nothing)).toBe('handled');
      expect(await store.once(key, nothing)).toBe('duplicate');
    }
  });

  it('agrees with a plain model under any order of keys, failures and time', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      fails: fc.boolean(),
      passes: fc.integer({ min: 0, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 5 }), async (steps, maxKeys) => {
        let time = 0;
        const store = memoryStore({ maxKeys, retentionMs: 100, now: () => time });
        let model: { key: string; until: number }[] = [];
        for (const { key, fails, passes } of steps) {
          time += passes;
          const known = model.some((each) => each.key === key && each.until > time);
          const result = await store.once(key, fails ? failing : nothing).catch(() => 'failed');
          expect(result).toBe(known ? 'duplicate' : fails ? 'failed' : 'handled');
          if (result !== 'handled') continue;
          model = model.filter((each) => each.until > time);
          model = [...model, { key, until: time + 100 }].slice(-maxKeys);
        }
      }),
    );
  });

  it.each([
    { maxKeys: 0 },
    { maxKeys: Number.NaN },
    { retentionMs: 0 },
    { retentionMs: -1 },
    { maxKeys: 'many' },
    { leaseMs: 0 },
    { now: 1_700_000_000 },
    { ttl: 1000 },
  ])('refuses %j, and names the option', (options) => {
    const [name = ''] = Object.keys(options);
    expect(() => Reflect.apply(memoryStore, undefined, [options])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
    );
  });

  it('remembers a key for 7 days by default', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    await store.once('a', nothing);
    time = 7 * 86_400_000 - 1;
    expect(await store.once('a', failing)).toBe('duplicate');
    time += 1;
    expect(await store.once('a', nothing)).toBe('handled');
  });
});
