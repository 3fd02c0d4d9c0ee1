import { describe, expect, it, onTestFinished } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import { deferred } from '../helpers.js';
import type { TestServer } from '../servers/server.js';
import { describeOnceEach } from './store-each.js';
import { eventually, failing, holdKey, hostileKeys, nothing, unique } from './store-helpers.js';
import { describeFreezes, describeLateRuns } from './store-runs.js';

/** Options of a store under test. A store ignores those that it does not have. */
export interface StoreSettings {
  readonly leaseMs?: number;
  readonly retentionMs?: number;
  readonly timeoutMs?: number;
}

/** A store under test, whose instances share one server or file. */
export interface StoreTarget {
  /** A store with its own connections, like another replica. Closed after the test. */
  open(settings?: StoreSettings): Promise<IdempotencyStore<unknown>>;
  /** Advances the store's clock, or waits. */
  passTime(ms: number): Promise<void>;
}

/** The traits of a store decide which cases it must pass. */
export interface StoreTraits {
  /** Whether another call returns `in-progress` during the first run, or waits for it. */
  readonly meanwhile: 'in-progress' | 'waits';
  /** Whether its instances share their keys. */
  readonly shared: boolean;
  /** Whether another call may take over a key after the lease. */
  readonly leases: boolean;
  /** Whether it takes several keys at once. (Default: true.) */
  readonly onceEach?: boolean;
}

/** The contract of every store. `target` is called when the cases run, so that a beforeAll may start its server. */
export function describeStore(title: string, traits: StoreTraits, target: () => StoreTarget): void {
  const open = (settings?: StoreSettings) => target().open(settings);
  /** Two instances if the store shares its keys, otherwise the same one twice. */
  const openTwo = async (settings?: StoreSettings) => {
    const first = await open(settings);
    return [first, traits.shared ? await open(settings) : first] as const;
  };

  describe(`${title}, like every store`, () => {
    it('runs the first call and returns handled', async () => {
      const store = await open();
      let runs = 0;
      expect(await store.once(unique(), async () => void runs++)).toBe('handled');
      expect(runs).toBe(1);
    });

    it('does not run a duplicate, on this or another replica', async () => {
      const [store, other] = await openTwo();
      const key = unique();
      await store.once(key, nothing);
      for (const each of [store, other, store]) expect(await each.once(key, failing)).toBe('duplicate');
    });

    it('rethrows the error of a run, and lets the next call try', async () => {
      const [store, other] = await openTwo();
      const key = unique();
      await expect(store.once(key, failing)).rejects.toThrow('the run failed');
      await expect(other.once(key, failing)).rejects.toThrow('the run failed');
      expect(await store.once(key, nothing)).toBe('handled');
      expect(await other.once(key, failing)).toBe('duplicate');
    });

    it('treats a synchronous throw like a rejection', async () => {
      const store = await open();
      const key = unique();
      const throwing = () => {
        throw new Error('at once');
      };
      await expect(store.once(key, throwing)).rejects.toThrow('at once');
      expect(await store.once(key, nothing)).toBe('handled');
    });

    it('runs one of two hundred concurrent calls for one key', async () => {
      const [store, other] = await openTwo();
      const key = unique();
      const gate = deferred();
      let runs = 0;
      const run = () => {
        runs++;
        return gate.promise;
      };
      const claims = Array.from({ length: 200 }, (_, index) => (index % 2 ? store : other).once(key, run));
      await eventually(async () => expect(runs).toBe(1));
      gate.resolve();
      const results = await Promise.all(claims);
      expect(runs).toBe(1);
      expect(results.filter((each) => each === 'handled')).toHaveLength(1);
      if (traits.meanwhile === 'waits') expect(results.filter((each) => each === 'duplicate')).toHaveLength(199);
      expect(await other.once(key, failing)).toBe('duplicate');
    });

    it('returns in-progress to other calls, and keeps keys apart', async () => {
      const [store, other] = await openTwo();
      const [key, another] = [unique(), unique()];
      const gate = deferred();
      const { result: first } = await holdKey(store, key, gate.promise);
      if (traits.meanwhile === 'in-progress') {
        expect(await other.once(key, nothing)).toBe('in-progress');
        expect(await store.once(key, nothing)).toBe('in-progress');
      }
      expect(await other.once(another, nothing)).toBe('handled');
      gate.resolve();
      expect(await first).toBe('handled');
    });

    it('forgets a key when its retention is over, and not before', async () => {
      const [store, other] = await openTwo({ retentionMs: 400 });
      const key = unique();
      await store.once(key, nothing);
      expect(await other.once(key, failing)).toBe('duplicate');
      await target().passTime(500);
      expect(await other.once(key, nothing)).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
    });

    it('accepts any key, and confuses no two of them', async () => {
      const [store, other] = await openTwo();
      const prefix = unique();
      const keys = ['', ...hostileKeys.map((key) => prefix + key), ...hostileKeys.map((key) => key + prefix)];
      await store.once('', nothing);
      for (const key of keys.slice(1)) expect([key, await store.once(key, nothing)]).toEqual([key, 'handled']);
      for (const key of keys) expect([key, await other.once(key, failing)]).toEqual([key, 'duplicate']);
    });
  });

  if (traits.onceEach !== false) describeOnceEach(title, traits, target);
  // A shared store without leases has transactions: it rolls back late runs.
  if (traits.leases || !traits.shared) describeLateRuns(title, traits, target);
  if (!traits.leases) return;
  if (traits.shared) describeFreezes(title, target);
  describe(`${title}, like every lease store`, () => {
    const leaseMs = 300;

    it('lets another call take over a hung run when its lease is over, and not before', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const key = unique();
      const gate = deferred();
      onTestFinished(() => gate.resolve());
      const { result } = await holdKey(store, key, gate.promise);
      result.catch(() => {});
      expect(await other.once(key, failing)).toBe('in-progress');
      await target().passTime(leaseMs + 50);
      expect(await other.once(key, nothing)).toBe('handled');
      expect(await other.once(key, failing)).toBe('duplicate');
    });

    it('lets a run that lost its lease neither complete nor release a key that another has taken over', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const key = unique();
      const [late, later, current] = [deferred(), deferred(), deferred()];
      const { result: completing } = await holdKey(store, key, late.promise);
      expect(await other.once(key, failing)).toBe('in-progress');
      await target().passTime(leaseMs + 50);
      const { result: releasing } = await holdKey(store, key, later.promise);
      expect(await other.once(key, failing)).toBe('in-progress');
      await target().passTime(leaseMs + 50);
      const { result: holding } = await holdKey(other, key, current.promise);
      expect(await store.once(key, failing)).toBe('in-progress');

      late.resolve();
      await expect(completing).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      later.reject(new Error('the late run failed'));
      await expect(releasing).rejects.toThrow('the late run failed');
      expect(await store.once(key, failing)).toBe('in-progress');

      current.resolve();
      expect(await holding).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
    });

    it('lets a run complete after its lease if nobody has taken over', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const key = unique();
      const gate = deferred();
      const { result: first } = await holdKey(store, key, gate.promise);
      expect(await other.once(key, failing)).toBe('in-progress');
      await target().passTime(leaseMs + 50);
      gate.resolve();
      expect(await first).toBe('handled');
      expect(await other.once(key, failing)).toBe('duplicate');
    });

    it('keeps a key that took effect when the lease would have ended', async () => {
      const [store, other] = await openTwo({ leaseMs });
      const key = unique();
      await store.once(key, nothing);
      await target().passTime(leaseMs + 50);
      expect(await other.once(key, failing)).toBe('duplicate');
    });

    it('exposes the length of its leases', async () => {
      expect((await open({ leaseMs: 5000 })).leaseMs).toBe(5000);
    });
  });
}

/** The contract of a store whose server fails. The caller starts `server`. */
export function describeStoreOutages(title: string, target: () => StoreTarget, server: () => TestServer): void {
  const settings = { leaseMs: 60_000, timeoutMs: 2000 };
  const open = () => target().open(settings);
  const handledOnce = (store: IdempotencyStore<unknown>, key: string) =>
    eventually(async () => expect(await store.once(key, failing)).toBe('duplicate'));

  describe(`${title}, when its server goes away`, { timeout: 20_000 }, () => {
    it('fails without a run while the server is down, and recovers by itself', async () => {
      const store = await open();
      const key = unique();
      await store.once(unique(), nothing);
      await server().kill();
      let runs = 0;
      const run = async () => void runs++;
      await expect(store.once(key, run)).rejects.toThrow();
      await expect(store.once(key, run)).rejects.toThrow();
      expect(runs).toBe(0);
      await server().restart();
      await eventually(async () => expect(['handled', 'duplicate']).toContain(await store.once(key, run)));
      expect(runs).toBe(1);
    });

    it('fails without a run while the server does not answer, and recovers by itself', async () => {
      const store = await open();
      const key = unique();
      await store.once(unique(), nothing);
      server().pause();
      let runs = 0;
      const run = async () => void runs++;
      try {
        await expect(store.once(key, run)).rejects.toThrow();
      } finally {
        server().resume();
      }
      expect(runs).toBe(0);
      await eventually(async () => expect(['handled', 'duplicate']).toContain(await store.once(key, run)));
      expect(runs).toBe(1);
    });

    it('keeps all keys when the server is killed', async () => {
      const store = await open();
      const key = unique();
      await store.once(key, nothing);
      await server().kill();
      await server().restart();
      await handledOnce(store, key);
    });
  });
}

/** The contract of a lease store whose server restarts between a run and its record. */
export function describeLeaseOutages(title: string, target: () => StoreTarget, server: () => TestServer): void {
  const open = () => target().open({ leaseMs: 60_000, timeoutMs: 2000 });

  describe(`${title}, when its server restarts during a run`, { timeout: 20_000 }, () => {
    it('records the effect, and does not run it again', async () => {
      const [store, other] = [await open(), await open()];
      const key = unique();
      let runs = 0;
      const first = store.once(key, async () => {
        runs++;
        await server().kill();
        await server().restart();
      });
      expect(await first.catch((error: { code: string }) => error.code)).toSatisfy(
        (result) => result === 'handled' || result === 'ERR_WEBHOOK_STORE',
      );
      await eventually(async () => expect(await other.once(key, failing)).toBe('duplicate'));
      expect(runs).toBe(1);
    });

    it('fails during a long outage, and records the effect after it', async () => {
      const [store, other] = [await open(), await open()];
      const key = unique();
      await expect(store.once(key, () => server().kill())).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      await expect(store.once(key, failing)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      await server().restart();
      await eventually(async () => expect(await other.once(key, failing)).toBe('duplicate'));
      expect(await store.once(key, failing)).toBe('duplicate');
    });
  });
}
