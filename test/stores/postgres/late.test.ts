import { describe, expect, it } from 'vitest';
import { WebhookError } from '../../../src/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { driverNames, type Opened, type PoolSettings, type Run, withEffects, write, written } from './drivers.js';

const ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };

describe.skipIf(!hasPostgres)(`postgresStore, transactional, when a handler times out${needsPostgres}`, () => {
  const { open: openWith } = withEffects('id text PRIMARY KEY');

  describe.each(driverNames)('%s', (driver) => {
    const open = (settings?: PoolSettings) => openWith(driver, settings);
    const timeout = () => new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time');

    /** A run that times out after `work`, and settles like `end`. */
    function late(store: ReturnType<Opened['transactional']>, key: string, work: (tx: Run) => unknown, end = nothing) {
      const settled = deferred();
      const result = store.once(key, async (tx, options) => {
        try {
          await work(tx);
          options?.onTimeout?.(timeout());
          await end();
        } finally {
          settled.resolve();
        }
      });
      return { result, settled: settled.promise };
    }

    it.each([
      ['succeeds', nothing],
      ['fails', failing],
    ])('rolls back and frees the key immediately, although the handler still runs and later %s', async (_, ending) => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, early, next] = [unique(), unique(), unique()];
      const gate = deferred();
      const { result, settled } = late(store, key, write(early), async () => {
        await gate.promise;
        await ending();
      });
      await expect(result).rejects.toThrow('out of time');
      expect(await store.once(key, write(next))).toBe('handled');
      gate.resolve();
      await settled;
      expect([await written(opened, early), await written(opened, next)]).toEqual([false, true]);
      expect(await store.once(key, failing)).toBe('duplicate');
    });

    it('closes the transaction in the turn of the timeout', async () => {
      const opened = await open({ max: 1 });
      const [key, id] = [unique(), unique()];
      const refused: Promise<unknown>[] = [];
      const run = async (tx: Run, options?: { onTimeout?: ((error: Error) => void) | undefined }) => {
        options?.onTimeout?.(timeout());
        refused.push(expect(write(id)(tx)).rejects.toMatchObject(ERR_STORE));
      };
      await expect(opened.transactional().once(key, run)).rejects.toThrow('out of time');
      expect(refused).toHaveLength(1);
      await Promise.all(refused);
      expect(await written(opened, id)).toBe(false);
    });

    it('ends its running statement, long before the lease is over', async () => {
      const opened = await open();
      const store = opened.transactional({ leaseMs: 60_000 });
      const [key, id] = [unique(), unique()];
      const slow = (tx: Run) => {
        tx(`INSERT INTO effects SELECT '${id}' FROM pg_sleep(60)`).catch(nothing);
        return opened.run('SELECT pg_sleep(0.1)');
      };
      await expect(late(store, key, slow).result).rejects.toThrow('out of time');
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'), 5000);
      expect(await written(opened, id)).toBe(false);
    });

    it('frees its key though it waits for a lock that another transaction keeps', async () => {
      const opened = await open();
      const store = opened.transactional();
      const [key, blocked] = [unique(), unique()];
      const [locked, told] = [deferred(), deferred()];
      const blocker = store.once(unique(), async (tx) => {
        await tx('SELECT pg_advisory_xact_lock(4711)');
        locked.resolve();
        await told.promise;
        await eventually(async () => expect(await store.once(key, write(blocked))).toBe('handled'), 5000);
      });
      await locked.promise;
      const waiting = (tx: Run) => {
        tx('SELECT pg_advisory_xact_lock(4711)').catch(nothing);
        return opened.run('SELECT pg_sleep(0.1)');
      };
      await expect(late(store, key, waiting).result).rejects.toThrow('out of time');
      told.resolve();
      expect(await blocker).toBe('handled');
      expect(await written(opened, blocked)).toBe(true);
    });

    it('frees its key when it had committed, so that the rest of it is not lost', async () => {
      const opened = await open();
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      await expect(late(store, key, (tx) => tx('SELECT 1; COMMIT')).result).rejects.toThrow('out of time');
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await written(opened, id)).toBe(true);
    });

    it('keeps what was committed when its time is said to be up after that', async () => {
      const opened = await open();
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      let onTimeout: ((error: Error) => void) | undefined;
      const result = await store.once(key, async (tx, options) => {
        onTimeout = options?.onTimeout;
        await write(id)(tx);
      });
      onTimeout?.(timeout());
      expect(result).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
      expect(await written(opened, id)).toBe(true);
    });

    it('gives each claim of a key a greater fencing token, in both modes and over replicas', async () => {
      const [one, other] = [await open(), await open()];
      const key = unique();
      const tokens: (bigint | undefined)[] = [];
      const note = async (_: unknown, options?: { fencingToken?: bigint | undefined }) => {
        tokens.push(options?.fencingToken);
        await failing();
      };
      for (const store of [one.transactional(), other.lease(), other.transactional(), one.lease(), one.lease()]) {
        await store.once(key, note).catch(nothing);
      }
      // Another call takes over from a hung run.
      const running = deferred();
      void one.lease({ leaseMs: 300 }).once(key, async (_, options) => {
        tokens.push(options?.fencingToken);
        running.resolve();
        await new Promise<never>(() => {});
      });
      await running.promise;
      await eventually(async () => {
        await expect(other.lease().once(key, note)).rejects.toThrow('the run failed');
      });
      expect(tokens).toHaveLength(7);
      expect(tokens.every((token) => typeof token === 'bigint')).toBe(true);
      expect(tokens).toEqual(tokens.toSorted((a, b) => (Number(a) < Number(b) ? -1 : 1)));
      expect(new Set(tokens).size).toBe(7);
    });
  });
});
