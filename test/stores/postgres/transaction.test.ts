import { describe, expect, it } from 'vitest';
import { WebhookError } from '../../../src/index.js';
import { eventually, failing, holdKey, nothing, unique } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { driverNames, type Opened, type PoolSettings, type Run, withEffects, write, written } from './drivers.js';

const ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };

describe.skipIf(!hasPostgres)(`postgresStore, transactional${needsPostgres}`, () => {
  const { open: openWith } = withEffects('id text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED');

  describe.each(driverNames)('%s', (driver) => {
    const open = (settings?: PoolSettings) => openWith(driver, settings);
    /** How many other connections of this server are in a transaction. */
    const openTransactions = async ({ run }: Opened) => {
      const open = await run(`SELECT pid FROM pg_stat_activity
        WHERE xact_start IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()`);
      return open.length;
    };

    it('commits the writes of a handler together with its key', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      expect(await store.once(key, write(id))).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
      expect(await written(opened, id)).toBe(true);
    });

    it('commits neither if the handler fails, and releases a clean connection', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await failing();
      };
      await expect(store.once(key, run)).rejects.toThrow('the run failed');
      expect(await written(opened, id)).toBe(false);
      await expect(store.once(key, async (tx) => void (await tx('SELECT nonsense')))).rejects.toThrow('nonsense');
      expect(await openTransactions(await open())).toBe(0);
      expect(await store.once(key, write(id))).toBe('handled');
      expect(await written(opened, id)).toBe(true);
    });

    it.each(['COMMIT', '/* sooner */ COMMIT', 'SELECT 1; COMMIT'])(
      'runs a handler again that committed (%s) before it failed, so that the rest is not lost',
      async (text) => {
        const opened = await open({ max: 1 });
        const store = opened.transactional();
        const [key, id] = [unique(), unique()];
        const committing = async (tx: Run) => {
          await tx(text);
          await failing();
        };
        await expect(store.once(key, committing)).rejects.toThrow();
        expect(await store.once(key, write(id))).toBe('handled');
        expect(await written(opened, id)).toBe(true);
        expect(await store.once(key, failing)).toBe('duplicate');
      },
    );

    it('does not touch the connection of a failed run once the next run has it', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const ids = Array.from({ length: 20 }, unique);
      const run = (id: string, index: number) => async (tx: Run) => {
        await write(id)(tx);
        if (index % 2 === 0) await failing();
        await tx('SELECT pg_sleep(0.005)');
      };
      const results = await Promise.allSettled(ids.map((id, index) => store.once(id, run(id, index))));
      expect(results.map(({ status }) => status)).toEqual(ids.map((_, i) => (i % 2 === 0 ? 'rejected' : 'fulfilled')));
      for (const [index, id] of ids.entries()) {
        expect(await written(opened, id)).toBe(index % 2 === 1);
        if (index % 2 === 1) expect(await store.once(id, failing)).toBe('duplicate');
      }
    });

    it('rejects if a handler swallows an SQL error, because the transaction was rolled back', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await tx('SELECT nonsense').catch(nothing);
      };
      await expect(store.once(key, run)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('The handler resolved although one of its statements failed'),
      });
      expect(await written(opened, id)).toBe(false);
      expect(await store.once(key, write(id))).toBe('handled');
    });

    it('rejects if a handler resolves before its last statement has failed', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        tx('SELECT nonsense').catch(nothing);
      };
      await expect(store.once(key, run)).rejects.toMatchObject(ERR_STORE);
      expect(await written(opened, id)).toBe(false);
    });

    it('rejects if Postgres refuses to commit', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      await store.once(unique(), write(id));
      await expect(store.once(key, write(id))).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('refused to commit'),
        cause: { code: '23505' },
      });
      expect(await store.once(key, nothing)).toBe('handled');
    });

    it('rejects if a handler ends the transaction itself', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      for (const statement of ['COMMIT', ' rollback', 'ROLLBACK; BEGIN']) {
        const run = async (tx: Run) => void (await tx(statement));
        await expect(store.once(unique(), run)).rejects.toMatchObject({
          ...ERR_STORE,
          message: expect.stringMatching(/transaction.* itself/),
        });
      }
      expect(await openTransactions(await open())).toBe(0);
      expect(await store.once(unique(), write(unique()))).toBe('handled');
    });

    it('lets a handler roll back to a savepoint', async () => {
      const opened = await open();
      const [key, kept, undone] = [unique(), unique(), unique()];
      const run = async (tx: Run) => {
        await tx('SAVEPOINT before');
        await write(undone)(tx);
        await tx('ROLLBACK TO SAVEPOINT before');
        await write(kept)(tx);
      };
      expect(await opened.transactional().once(key, run)).toBe('handled');
      expect([await written(opened, kept), await written(opened, undone)]).toEqual([true, false]);
    });

    it('blocks a handler that timed out from its connection, even after others got it', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [key, id, late] = [unique(), unique(), unique()];
      const gate = deferred();
      const attempts: Promise<unknown>[] = [];
      const run = async (tx: Run) => {
        await write(id)(tx);
        attempts.push(gate.promise.then(() => write(late)(tx)));
        throw new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time');
      };
      await expect(store.once(key, run)).rejects.toThrow('out of time');
      const next = store.once(unique(), async (tx) => {
        gate.resolve();
        await expect(attempts[0]).rejects.toMatchObject(ERR_STORE);
        await write(unique())(tx);
      });
      expect(await next).toBe('handled');
      expect([await written(opened, id), await written(opened, late)]).toEqual([false, false]);
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
    });

    it('does not wait for a statement of a handler that timed out', async () => {
      const opened = await open();
      const store = opened.transactional({ leaseMs: 300 });
      const key = unique();
      const id = unique();
      const run = async (tx: Run) => {
        const slow = tx(`INSERT INTO effects SELECT '${id}' FROM pg_sleep(60)`);
        slow.catch(nothing);
        throw new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time');
      };
      const start = performance.now();
      await expect(store.once(key, run)).rejects.toThrow('out of time');
      expect(performance.now() - start).toBeLessThan(2000);
      // The server ends such a transaction when the lease is over, so that the key and the connection are free.
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'), 4000);
      expect(await written(opened, id)).toBe(false);
    });

    it('lets the server end an abandoned transaction', async () => {
      const opened = await open();
      const [store, other] = [opened.transactional({ leaseMs: 300 }), (await open()).transactional()];
      const [key, id] = [unique(), unique()];
      const [gate, running] = [deferred(), deferred()];
      const first = store.once(key, async (tx) => {
        await write(id)(tx);
        running.resolve();
        await gate.promise;
        await write(unique())(tx);
      });
      await running.promise;
      expect(await other.once(key, failing)).toBe('in-progress');
      await eventually(async () => expect(await other.once(key, nothing)).toBe('handled'), 4000);
      gate.resolve();
      await expect(first).rejects.toThrow();
      expect(await written(opened, id)).toBe(false);
      expect(store.leaseMs).toBe(300);
    });

    it('rejects in time if the pool has no free connection, and releases a late one', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional({ timeoutMs: 100 });
      const gate = deferred();
      const { result } = await holdKey(store, unique(), gate.promise);
      const key = unique();
      await expect(store.once(key, failing)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('gave no connection within 100 ms'),
      });
      gate.resolve();
      expect(await result).toBe('handled');
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'));
    });

    it('handles two hundred keys concurrently on ten connections', async () => {
      const opened = await open();
      const store = opened.transactional({ timeoutMs: 30_000 });
      const ids = Array.from({ length: 200 }, unique);
      const results = await Promise.all(ids.map((id) => store.once(id, write(id))));
      expect(new Set(results)).toEqual(new Set(['handled']));
      const rows = await opened.run(`SELECT FROM effects WHERE id IN ('${ids.join("','")}')`);
      expect(rows).toHaveLength(200);
      expect(await openTransactions(opened)).toBe(0);
    }, 20_000);

    it.each(['repeatable read', 'serializable'])(
      'is exact when the pool’s default isolation is %s',
      async (level) => {
        const opened = await open({ session: { default_transaction_isolation: level } });
        expect(await opened.run('SHOW default_transaction_isolation')).toEqual([
          { default_transaction_isolation: level },
        ]);
        for (const store of [opened.transactional({ timeoutMs: 30_000 }), opened.lease({ timeoutMs: 30_000 })]) {
          for (let round = 0; round < 10; round++) {
            const key = unique();
            let runs = 0;
            const run = async () => void runs++;
            const results = await Promise.all(Array.from({ length: 20 }, () => store.once(key, run)));
            expect(runs).toBe(1);
            expect(results.filter((each) => each === 'handled')).toHaveLength(1);
            expect(await store.once(key, failing)).toBe('duplicate');
          }
        }
      },
      20_000,
    );

    it('works after a statement exceeded the pool’s statement_timeout', async () => {
      const opened = await open({ max: 1, session: { statement_timeout: '200' } });
      const store = opened.transactional();
      const key = unique();
      const slow = async (tx: Run) => void (await tx('SELECT pg_sleep(60)'));
      await expect(store.once(key, slow)).rejects.toMatchObject({ code: '57014' });
      expect(await store.once(key, nothing)).toBe('handled');
    });

    it('leaves no session state, as a connection pooler requires', async () => {
      const { run, transactional, lease } = await open({ max: 1, prepare: false });
      const settings = () =>
        run(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
          current_setting('transaction_timeout') AS whole, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
          (SELECT count(*)::int FROM pg_prepared_statements WHERE statement LIKE '%webhook_idempotency_keys%') AS prepared`);
      const store = transactional();
      const key = unique();
      await store.once(key, nothing);
      await store.once(key, failing);
      await store.once(unique(), failing).catch(nothing);
      await lease().once(unique(), nothing);
      expect(await settings()).toEqual([{ idle: '0', whole: '0', locks: 0, prepared: 0 }]);
    });

    it('shares its table with lease stores', async () => {
      const opened = await open();
      const [transactional, leased] = [opened.transactional(), opened.lease({ leaseMs: 60_000 })];
      const [key, expiring, crashed] = [unique(), unique(), unique()];
      const gate = deferred();
      const { result } = await holdKey(leased, key, gate.promise);
      expect(await transactional.once(key, failing)).toBe('in-progress');
      gate.resolve();
      await result;
      expect(await transactional.once(key, failing)).toBe('duplicate');

      await transactional.once(expiring, nothing);
      expect(await leased.once(expiring, failing)).toBe('duplicate');

      const never = deferred();
      await holdKey(opened.lease({ leaseMs: 400 }), crashed, never.promise);
      await eventually(async () => expect(await transactional.once(crashed, nothing)).toBe('handled'));
    });
  });
});
