import { storeContract } from 'event-webhooks/store-contract';
import type { Collection } from 'mongodb';
import { describe, expect, it, test } from 'vitest';
import { type Lease, mongoLeases } from '../../examples/mongodb/leases.js';
import { type Claim, type Leases, leasedStore } from '../../src/stores/leased.js';
import { once, onceEach } from './calls.js';
import { fakeMongo } from './fake-mongo.js';

const nothing = async () => {};

/** Leases in memory, and the calls that they got. */
function leasesInMemory(wrong: Partial<Leases> = {}) {
  const rows = new Map<string, { owner: string; done: boolean; until: number }>();
  const calls: string[] = [];

  function write(key: string, owner: string, done: boolean, ms: number): Claim {
    const row = rows.get(key);
    const isOwn = row?.owner === owner && (done || !row.done);
    if (row && !isOwn && row.until > performance.now()) return row.done ? 'duplicate' : 'in-progress';
    rows.set(key, { owner, done, until: performance.now() + ms });
    return 'claimed';
  }

  const right: Leases = {
    async claim(key, owner, leaseMs) {
      calls.push(`claim ${key} ${leaseMs}`);
      return write(key, owner, false, leaseMs);
    },
    async record(key, owner, retentionMs) {
      calls.push(`record ${key} ${retentionMs}`);
      return write(key, owner, true, retentionMs) === 'claimed';
    },
    async release(key, owner) {
      calls.push(`release ${key}`);
      const row = rows.get(key);
      if (row?.owner === owner && !row.done) rows.delete(key);
    },
  };
  return { calls, leases: { ...right, ...wrong } };
}

describe('leasedStore over leases in memory', () => {
  const { leases } = leasesInMemory();
  storeContract((settings) => leasedStore(leases, settings), { test, leases: () => leases });
});

// Not MongoDB, but a fake of the driver's calls: no server can be installed here.
describe('the three writes of the MongoDB example, over a fake', () => {
  const leases = mongoLeases(fakeMongo().collection('leases') as unknown as Collection<Lease>);
  storeContract((settings) => leasedStore(leases, settings), {
    test: (title, run) => title.startsWith('the writes') && test(title, run),
    leases: () => leases,
  });
});

describe('leasedStore', () => {
  it('passes the times of its options, or their defaults', async () => {
    const { calls, leases } = leasesInMemory();
    await once(leasedStore(leases), 'a', nothing);
    await once(leasedStore(leases, { leaseMs: 5000, retentionMs: 7000 }), 'b', nothing);
    expect(calls).toEqual(['claim a 60000', 'record a 604800000', 'claim b 5000', 'record b 7000']);
  });

  it('passes keys in plain characters, and the hash of any other', async () => {
    const { calls, leases } = leasesInMemory();
    const store = leasedStore(leases);
    for (const key of ['event:1', '', '$where', 'ü', 'x'.repeat(201)]) await once(store, key, nothing);
    const claimed = calls.filter((call) => call.startsWith('claim ')).map((call) => call.split(' ')[1] ?? '');
    expect(claimed[0]).toBe('event:1');
    expect(new Set(claimed.slice(1)).size).toBe(4);
    for (const key of claimed.slice(1)) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('sends at most 32 keys of a delivery at the same time', async () => {
    let [underWay, most] = [0, 0];
    const { leases } = leasesInMemory();
    const claim: Leases['claim'] = async (...args) => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      return leases.claim(...args);
    };
    const keys = Array.from({ length: 100 }, (_, index) => `${index}`);
    const words = await onceEach(leasedStore({ ...leases, claim }), keys, nothing);
    expect(words).toEqual(keys.map(() => 'handled'));
    expect(most).toBe(32);
  });

  it('releases the keys of a delivery once no claim is under way, if one of the claims failed', async () => {
    const { calls, leases } = leasesInMemory();
    const claim: Leases['claim'] = async (key, ...rest) => {
      if (key === 'b') throw new Error('throttled');
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
      return leases.claim(key, ...rest);
    };
    const store = leasedStore({ ...leases, claim });
    await expect(onceEach(store, ['a', 'b', 'c'], nothing)).rejects.toThrow('throttled');
    expect(calls).toEqual(['claim a 60000', 'claim c 60000', 'release a', 'release b', 'release c']);
    expect(await once(leasedStore(leases), 'a', nothing)).toBe('handled');
  });

  it('passes the fencing token of a claim', async () => {
    const { leases } = leasesInMemory({ claim: async () => 7n });
    let token: unknown;
    await once(leasedStore(leases), 'a', async (_tx, options) => {
      token = options?.fencingToken;
    });
    expect(token).toBe(7n);
  });

  it.each([undefined, null, true, 'done', 1, {}])('runs nothing if a claim is answered with %j', async (answer) => {
    const { leases } = leasesInMemory({ claim: async () => answer as unknown as Claim });
    let runs = 0;
    await expect(once(leasedStore(leases), 'a', async () => void runs++)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: expect.stringMatching(
        /^`leases\.claim` must resolve to 'claimed', a bigint, 'duplicate', 'in-progress' or 'unknown', got .+\.$/,
      ),
    });
    expect(runs).toBe(0);
  });

  it.each([undefined, null, 'yes', 1])('fails at once if a record is answered with %j, and says so', async (answer) => {
    const { leases } = leasesInMemory({ record: async () => answer as unknown as boolean });
    const store = leasedStore(leases);
    const failure = {
      code: 'ERR_WEBHOOK_STORE',
      message: expect.stringMatching(/^`leases\.record` must resolve to true or false, got .+\.$/),
    };
    await expect(once(store, 'a', nothing)).rejects.toMatchObject(failure);
    await expect(onceEach(store, ['b', 'c'], nothing)).rejects.toMatchObject(failure);
    expect(store.unrecorded?.()).toEqual([]);
  });

  it('refuses what it cannot use by name', () => {
    const { leases } = leasesInMemory();
    const make = (value: unknown, options?: unknown) => () => leasedStore(value as Leases, options as object);
    expect(make(null)).toThrow('`leases` must be an object with the methods claim, record and release, got null.');
    expect(make('mongodb://user:secret@host')).toThrow('got a string.');
    expect(make({ ...leases, record: undefined })).toThrow('`leases.record` must be a function, got undefined.');
    expect(make(leases, { leaseMs: 0 })).toThrow('`leaseMs`');
    expect(make(leases, { lease: 1 })).toThrow('`leasedStore` has no option `lease`. Did you mean `leaseMs`?');
    expect(make(leases, null)).toThrow('`leasedStore` takes an options object, got null.');
  });
});
