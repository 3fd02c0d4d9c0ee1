import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { describeStore } from '../contracts/store.js';
import { failing, nothing } from '../contracts/store-helpers.js';
import { deferred } from '../helpers.js';
import { once } from './calls.js';

let contractTime = 0;
describeStore(
  'memoryStore',
  { shared: false, leases: true },
  {
    open: async ({ leaseMs, retentionMs } = {}) => memoryStore({ leaseMs, retentionMs, now: () => contractTime }),
    passTime: (ms) => {
      contractTime += ms;
    },
  },
);

describe('memoryStore', () => {
  it('lets another run take over when the lease is over, not before, and says so to the first', async () => {
    let time = 0;
    const store = memoryStore({ leaseMs: 100, now: () => time });
    const gate = deferred();
    const first = once(store, 'a', () => gate.promise);
    time += 99;
    expect(await once(store, 'a', failing)).toBe('in-progress');
    time += 1;
    expect(await once(store, 'a', nothing)).toBe('handled');
    gate.resolve();
    await expect(first).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message:
        'Another run has taken over the key, so the event may take effect twice: this run took longer than its lease of 100 ms (increase leaseMs), or the store has lost its keys.',
    });
  });

  it('tells a run whose successor lost its lease as well that another one has recorded the key', async () => {
    let time = 0;
    const store = memoryStore({ leaseMs: 100, now: () => time });
    const [one, two] = [deferred(), deferred()];
    const first = once(store, 'a', () => one.promise);
    time = 100;
    const second = expect(once(store, 'a', () => two.promise)).rejects.toThrow('Another run has taken over the key');
    time = 200;
    one.resolve();
    expect(await first).toBe('handled');
    two.resolve();
    await second;
  });

  it('keeps the lease of a run when the wall clock is set forward', async () => {
    const store = memoryStore();
    const gate = deferred();
    const first = once(store, 'a', () => gate.promise);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    expect(await once(store, 'a', failing)).toBe('in-progress');
    clock.mockRestore();
    gate.resolve();
    expect(await first).toBe('handled');
  });

  it('forgets only the oldest key beyond maxKeys', async () => {
    const store = memoryStore({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'd']) await once(store, key, nothing);
    expect(await once(store, 'b', nothing)).toBe('duplicate');
    expect(await once(store, 'c', nothing)).toBe('duplicate');
    expect(await once(store, 'd', nothing)).toBe('duplicate');
    expect(await once(store, 'a', nothing)).toBe('handled');
    expect(await once(store, 'b', nothing)).toBe('handled');
  });

  it('matches a simple model under any order of keys, failures and time', async () => {
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
          const result = await once(store, key, fails ? failing : nothing).catch(() => 'failed');
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

  it('remembers every key since it was created, since the retention, or since the newest key that had no room', async () => {
    let time = 1000;
    const store = memoryStore({ now: () => time, retentionMs: 500, maxKeys: 1 });
    time = 1200;
    expect(store.rememberedSince?.()).toBe(1000);
    await once(store, 'a', nothing);
    time = 1300;
    await once(store, 'b', nothing);
    expect(store.rememberedSince?.()).toBe(1201);
    time = 1900;
    await once(store, 'c', nothing);
    expect(store.rememberedSince?.()).toBe(1400);
  });

  it('remembers since the retention after keys expired, as they had room', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time, retentionMs: 100 });
    await once(store, 'a', nothing);
    time = 100;
    await once(store, 'b', nothing);
    expect(store.rememberedSince?.()).toBe(0);
  });

  it('remembers a key for 7 days by default', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    await once(store, 'a', nothing);
    time = 7 * 86_400_000 - 1;
    expect(await once(store, 'a', failing)).toBe('duplicate');
    time += 1;
    expect(await once(store, 'a', nothing)).toBe('handled');
  });
});
