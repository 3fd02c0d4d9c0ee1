import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { startCutter } from '../sql/cutter.js';
import { countOf, driverNames, openPool, type Run, withEffects, write } from './drivers.js';

describe.skipIf(!hasPostgres)(`postgresStore, transactional, when a connection is lost${needsPostgres}`, () => {
  const { open: openWith, server } = withEffects('id text NOT NULL');

  describe.each(driverNames)('%s', (driver) => {
    const open = (port?: number) => openWith(driver, { max: 2 }, port);

    it.each([true, false])('has one effect if the answer to COMMIT is lost (COMMIT arrived: %s)', async (arrived) => {
      const [cutter, direct] = [await startCutter(server().port), await open()];
      const store = (await open(cutter.port)).transactional();
      const [key, id] = [unique(), unique()];
      cutter.cutAt('COMMIT', arrived);
      await expect(store.once(key, write(id))).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_STORE',
        message: expect.stringContaining('unknown whether the transaction was committed'),
      });
      const results: string[] = [];
      await eventually(async () => {
        results.push(await store.once(key, write(id)));
        expect(results.at(-1)).toBe('duplicate');
      });
      expect(results.includes('handled')).toBe(!arrived);
      expect(await countOf(direct, id)).toBe(1);
    });

    it.each(['BEGIN', 'PG_TRY_ADVISORY_XACT_LOCK'])('does not run if the connection is cut at %s', async (text) => {
      const cutter = await startCutter(server().port);
      const store = (await open(cutter.port)).transactional();
      const key = unique();
      for (const arrived of [true, false]) {
        cutter.cutAt(text, arrived);
        await expect(store.once(key, failing)).rejects.not.toThrow('the run failed');
      }
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'));
    });

    it('rejects if a handler continues after its connection was cut, and runs none of its statements elsewhere', async () => {
      const [cutter, direct] = [await startCutter(server().port), await open()];
      const opened = await open(cutter.port);
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        cutter.cutAt('SELECT 42', true);
        await tx('SELECT 42').catch(nothing);
        // At once, and when the pool has connected again.
        await write(id)(tx).catch(nothing);
        await opened.run('SELECT 1').catch(nothing);
        await eventually(() => opened.run('SELECT 1'));
        await write(id)(tx).catch(nothing);
      };
      await expect(store.once(key, run)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      expect(await countOf(direct, id)).toBe(0);
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await countOf(direct, id)).toBe(1);
    });

    it('survives a server that ends right after a connection', async () => {
      const cutter = await startCutter(server().port);
      const url = server().url.replace(String(server().port), String(cutter.port));
      const store = openPool(driver, url, { max: 2, fetchTypes: false }).transactional();
      await (await open()).lease().migrate();
      cutter.endWhenReady(true);
      for (let time = 0; time < 3; time++)
        await expect(store.once(unique(), failing)).rejects.not.toThrow('the run failed');
      cutter.endWhenReady(false);
      await eventually(async () => expect(await store.once(unique(), nothing)).toBe('handled'));
    });

    it('survives a server that ends the connection between statements', async () => {
      const [opened, direct] = [await open(), await open()];
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await direct.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE state = 'idle in transaction' AND query LIKE '%${id}%'`);
        await eventually(() => opened.run('SELECT 1'));
      };
      await expect(store.once(key, run)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
      expect(await countOf(direct, id)).toBe(0);
      expect(await store.once(key, write(id))).toBe('handled');
    });

    it.each([
      ['which then resolves', nothing],
      ['which then writes', async (run: Run, id: string) => write(id)(run)],
      [
        'which then writes and takes no notice of errors',
        async (run: Run, id: string) => write(id)(run).catch(nothing),
      ],
    ])(
      'keeps no writes of a handler during which the server is killed and restarts, %s',
      async (_, then) => {
        const [store, direct] = [(await open()).transactional(), await open()];
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          await server().kill();
          await server().restart();
          await then(tx, id);
        };
        await expect(store.once(key, run)).rejects.toThrow();
        await eventually(async () => expect(await countOf(direct, id)).toBe(0));
        await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
        expect(await store.once(key, failing)).toBe('duplicate');
        expect(await countOf(direct, id)).toBe(1);
      },
      20_000,
    );

    it('keeps no writes of a handler that waits for an answer when the server is killed', async () => {
      const [store, direct] = [(await open()).transactional(), await open()];
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        const waiting = tx('SELECT pg_sleep(60)');
        await Promise.all([waiting, server().kill()]);
      };
      await expect(store.once(key, run)).rejects.toThrow();
      await server().restart();
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await countOf(direct, id)).toBe(1);
    }, 20_000);

    it('passes on what a handler threw when the connection is cut at ROLLBACK', async () => {
      const [cutter, direct] = [await startCutter(server().port), await open()];
      const store = (await open(cutter.port)).transactional();
      for (const arrived of [true, false]) {
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          cutter.cutAt('ROLLBACK', arrived);
          await failing();
        };
        await expect(store.once(key, run)).rejects.toThrow('the run failed');
        await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
        expect(await countOf(direct, id)).toBe(1);
      }
    });

    it('rethrows the error of a handler in time if the server does not answer ROLLBACK', async () => {
      const opened = await open();
      const store = opened.transactional({ timeoutMs: 300 });
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        server().pause();
        await failing();
      };
      try {
        await expect(store.once(key, run)).rejects.toThrow('the run failed');
      } finally {
        server().resume();
      }
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await countOf(opened, id)).toBe(1);
    });

    it('rejects in time if the server does not answer COMMIT, and a redelivery resolves the outcome', async () => {
      const [opened, direct] = [await open(), await open()];
      const store = opened.transactional({ timeoutMs: 300 });
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        server().pause();
      };
      try {
        await expect(store.once(key, run)).rejects.toMatchObject({
          code: 'ERR_WEBHOOK_STORE',
          message: expect.stringContaining('unknown whether the transaction was committed'),
        });
      } finally {
        server().resume();
      }
      await eventually(async () => expect(await store.once(key, write(id))).toBe('duplicate'));
      expect(await countOf(direct, id)).toBe(1);
    });
  });
});
