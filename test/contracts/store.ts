import { type ContractEffects, type ContractSettings, storeContract } from 'event-webhooks/store-contract';
import { describe, expect, it, test } from 'vitest';
import { probe } from '../../src/handle/before.js';
import { isTransactional, onceOf } from '../../src/handle/once.js';
import type { IdempotencyStore } from '../../src/index.js';
import { deferred } from '../helpers.js';
import type { TestServer } from '../servers/server.js';
import { once, onceEach } from '../stores/calls.js';
import { eventually, failing, holdKey, nothing, unique } from './store-helpers.js';

/** A store under test, whose instances share one server or file. */
export interface StoreTarget {
  /** A store with its own connections, like another replica. Closed after the test. */
  // biome-ignore lint/suspicious/noExplicitAny: each store has its own type of transactions
  open(settings?: ContractSettings): Promise<IdempotencyStore<any>>;
  /** Advances the store's clock. (Default: waits.) */
  passTime?(ms: number): unknown;
  /** The effects of a transactional store. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly effects?: ContractEffects<any>;
}

/** What `storeContract` takes from the store, or cannot know. */
export interface StoreTraits {
  /** Whether another call returns `in-progress` during the first run, or waits for it. (Default: in-progress.) */
  readonly meanwhile?: 'in-progress' | 'waits';
  /** Whether its instances share their keys. */
  readonly shared: boolean;
  /** Whether another call may take over a key after the lease. */
  readonly leases: boolean;
}

/**
 * The contract of every store, and what only ours promise. The server is that of a store whose server can go away.
 *
 * @param cases Titles of the contract: nothing else runs.
 */
export function describeStore(
  title: string,
  traits: StoreTraits,
  target: StoreTarget,
  server?: () => TestServer,
  cases?: RegExp,
): void {
  describe(`${title}, like every store`, () => {
    storeContract(target.open, {
      test: (name, ...rest) => (cases === undefined || cases.test(name)) && test(name, ...rest),
      shared: traits.shared,
      passTime: target.passTime,
      // A client has effects in both modes.
      effects: traits.leases ? undefined : target.effects,
      outage: server && { begin: () => server().kill(), end: () => server().restart() },
    });
  });
  if (cases === undefined) describeAnswers(title, traits, target);
  if (server) describeSilence(title, target, server);
}

/** Answers that the contract leaves open. */
function describeAnswers(title: string, traits: StoreTraits, target: StoreTarget): void {
  describe(`${title}, like every store of ours`, () => {
    it('has the members by which the contract chooses its cases', async () => {
      const store = await target.open({ leaseMs: 5000 });
      expect(isTransactional(store)).toBe(!traits.leases);
      if (traits.leases) expect(store.leaseMs).toBe(5000);
    });

    const { meanwhile = 'in-progress' } = traits;

    it(`answers a call for a claimed key like this: ${meanwhile}`, async () => {
      const first = await target.open();
      const second = traits.shared ? await target.open() : first;
      const [key, other] = [unique(), unique()];
      const gate = deferred();
      const { result } = await holdKey(first, key, gate.promise);
      const answers = Promise.all([first, second].map((store) => once(store, key, failing)));
      if (meanwhile === 'in-progress') {
        expect(await answers).toEqual(['in-progress', 'in-progress']);
        expect(await once(second, other, nothing)).toBe('handled');
        expect(await onceEach(second, [key, other], failing)).toEqual(['in-progress', 'duplicate']);
      }
      gate.resolve();
      expect(await result).toBe('handled');
      if (meanwhile === 'waits') expect(await answers).toEqual(['duplicate', 'duplicate']);
    });

    it('tells a probe whether a key took effect, and leaves it as it was', async () => {
      const store = await target.open({ timeoutMs: 2000 });
      const key = unique();
      const ask = (asked: string) => probe(onceOf(store), asked, 5000);
      expect(await ask(key)).toBe('missing');
      expect(await once(store, key, nothing)).toBe('handled');
      expect(await ask(key)).toBe('handled');
      if (meanwhile === 'waits') return;
      const [held, gate] = [unique(), deferred()];
      const { result } = await holdKey(store, held, gate.promise);
      expect(await ask(held)).toBe('in-progress');
      gate.resolve();
      expect(await result).toBe('handled');
    });

    it('says since when it remembers keys', async () => {
      const store = await target.open({ retentionMs: 60_000 });
      // One without replicas knows nothing of the time before it.
      const expected = traits.shared ? Date.now() - 60_000 : store.rememberedSince?.();
      expect(Math.abs(Number(store.rememberedSince?.()) - Number(expected))).toBeLessThan(1000);
    });
  });
}

function describeSilence(title: string, target: StoreTarget, server: () => TestServer): void {
  describe(`${title}, when its server does not answer`, { timeout: 20_000 }, () => {
    it('fails without a run, and recovers by itself', async () => {
      // A server may run a claim after its release, which came on another connection; then the lease has to end.
      const store = await target.open({ leaseMs: 6000, timeoutMs: 2000 });
      const key = unique();
      await once(store, unique(), nothing);
      server().pause();
      let runs = 0;
      const run = async () => void runs++;
      try {
        await expect(once(store, key, run)).rejects.toThrow();
      } finally {
        server().resume();
      }
      expect(runs).toBe(0);
      await eventually(async () => expect(['handled', 'duplicate']).toContain(await once(store, key, run)), 15_000);
      expect(runs).toBe(1);
    });
  });
}
