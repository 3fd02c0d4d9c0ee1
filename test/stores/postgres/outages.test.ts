import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { startCutter } from './cutter.js';
import { driverNames, type Opened, openPool, type Run } from './drivers.js';

describe.skipIf(!hasPostgres)(`postgresStore, transactional, when a connection is lost${needsPostgres}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 30_000);
  afterAll(() => server.stop());

  describe.each(driverNames)('%s', (driver) => {
    async function open(port = server.port): Promise<Opened> {
      const opened = openPool(driver, server.url.replace(String(server.port), String(port)), { max: 2 });
      await opened.lease().migrate();
      await opened.run('CREATE TABLE IF NOT EXISTS effects (id text NOT NULL)');
      return opened;
    }
    const write = (id: string) => (run: Run) => run(`INSERT INTO effects VALUES ('${id}')`).then(nothing);
    const count = async ({ run }: Opened, id: string) => (await run(`SELECT FROM effects WHERE id = '${id}'`)).length;

    it.each([true, false])(
      'has one effect when the answer to COMMIT is lost (and COMMIT arrived: %s)',
      async (arrived) => {
        const [cutter, direct] = [await startCutter(server.port), await open()];
        const store = (await open(cutter.port)).transactional();
        const [key, id] = [unique(), unique()];
        cutter.cutAt('COMMIT', arrived);
        await expect(store.once(key, write(id))).rejects.toMatchObject({
          code: 'ERR_WEBHOOK_STORE',
          message: expect.stringContaining('not known whether the transaction was committed'),
        });
        const results: string[] = [];
        await eventually(async () => {
          results.push(await store.once(key, write(id)));
          expect(results.at(-1)).toBe('duplicate');
        });
        expect(results.includes('handled')).toBe(!arrived);
        expect(await count(direct, id)).toBe(1);
      },
    );

    it.each(['BEGIN', 'PG_TRY_ADVISORY_XACT_LOCK'])('does not run when the connection is cut at %s', async (text) => {
      const cutter = await startCutter(server.port);
      const store = (await open(cutter.port)).transactional();
      const key = unique();
      for (const arrived of [true, false]) {
        cutter.cutAt(text, arrived);
        await expect(store.once(key, failing)).rejects.not.toThrow('the run failed');
      }
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'));
    });

    it('rejects when a handler goes on after its connection was cut, and runs nothing of it elsewhere', async () => {
      const [cutter, direct] = [await startCutter(server.port), await open()];
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
      expect(await count(direct, id)).toBe(0);
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await count(direct, id)).toBe(1);
    });

    it('survives a server that ends as soon as a connection is made', async () => {
      const cutter = await startCutter(server.port);
      const url = server.url.replace(String(server.port), String(cutter.port));
      const store = openPool(driver, url, { max: 2, fetchTypes: false }).transactional();
      await (await open()).lease().migrate();
      cutter.endWhenReady(true);
      for (let time = 0; time < 3; time++)
        await expect(store.once(unique(), failing)).rejects.not.toThrow('the run failed');
      cutter.endWhenReady(false);
      await eventually(async () => expect(await store.once(unique(), nothing)).toBe('handled'));
    });

    it('survives a server that ends the connection while the handler does something else', async () => {
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
      expect(await count(direct, id)).toBe(0);
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
      'keeps nothing of a handler during which the server is killed and restarts, %s',
      async (_, then) => {
        const [store, direct] = [(await open()).transactional(), await open()];
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          await server.kill();
          await server.restart();
          await then(tx, id);
        };
        await expect(store.once(key, run)).rejects.toThrow();
        await eventually(async () => expect(await count(direct, id)).toBe(0));
        await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
        expect(await store.once(key, failing)).toBe('duplicate');
        expect(await count(direct, id)).toBe(1);
      },
      20_000,
    );

    it('keeps nothing of a handler that waits for an answer when the server is killed', async () => {
      const [store, direct] = [(await open()).transactional(), await open()];
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        const waiting = tx('SELECT pg_sleep(60)');
        await Promise.all([waiting, server.kill()]);
      };
      await expect(store.once(key, run)).rejects.toThrow();
      await server.restart();
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await count(direct, id)).toBe(1);
    }, 20_000);

    it('passes on what a handler threw when the connection is cut at ROLLBACK', async () => {
      const [cutter, direct] = [await startCutter(server.port), await open()];
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
        expect(await count(direct, id)).toBe(1);
      }
    });

    it('passes on in time what a handler threw when the server does not answer to ROLLBACK', async () => {
      const opened = await open();
      const store = opened.transactional({ timeoutMs: 300 });
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        server.pause();
        await failing();
      };
      try {
        await expect(store.once(key, run)).rejects.toThrow('the run failed');
      } finally {
        server.resume();
      }
      await eventually(async () => expect(await store.once(key, write(id))).toBe('handled'));
      expect(await count(opened, id)).toBe(1);
    });

    it('rejects in time when the server does not answer to COMMIT, and finds out later', async () => {
      const [opened, direct] = [await open(), await open()];
      const store = opened.transactional({ timeoutMs: 300 });
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        server.pause();
      };
      try {
        await expect(store.once(key, run)).rejects.toMatchObject({
          code: 'ERR_WEBHOOK_STORE',
          message: expect.stringContaining('not known whether the transaction was committed'),
        });
      } finally {
        server.resume();
      }
      await eventually(async () => expect(await store.once(key, write(id))).toBe('duplicate'));
      expect(await count(direct, id)).toBe(1);
    });
  });
});
