import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, openClient, type Run, useServer, write } from '../client.js';
import { postgresClients } from './clients.js';

describe.skipIf(!hasPostgres)(`sqlStore over Postgres, as servers are configured${needsPostgres}`, () => {
  const { open, server } = useServer('postgres');

  describe.each(postgresClients)('$title', (client) => {
    it.each(['repeatable read', 'serializable'])(
      'is exact when the default isolation is %s',
      async (level) => {
        const opened = await open(client, { session: { default_transaction_isolation: level } });
        expect(await opened.run('SHOW default_transaction_isolation')).toEqual([
          { default_transaction_isolation: level },
        ]);
        for (const store of [opened.transactional({ timeoutMs: 30_000 }), opened.lease({ timeoutMs: 30_000 })]) {
          for (let round = 0; round < 3; round++) {
            const key = unique();
            let runs = 0;
            const results = await Promise.all(
              Array.from({ length: 20 }, () => once(store, key, async () => void runs++)),
            );
            expect(results.filter((each) => each === 'handled')).toHaveLength(1);
            expect(runs).toBeGreaterThan(0);
            expect(await once(store, key, failing)).toBe('duplicate');
          }
        }
      },
      30_000,
    );

    it.each(['40001', '40P01'])('runs a handler again after %s, up to five times', async (code) => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      const conflict = async (tx: Run) =>
        void (await tx(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`));
      for (const failures of [1, 4, 5]) {
        const [key, id] = [unique(), unique()];
        let runs = 0;
        const run = async (tx: Run) => {
          await write(id)(tx);
          if (++runs <= failures) await conflict(tx);
        };
        if (failures < 5) expect(await once(store, key, run)).toBe('handled');
        else await expect(once(store, key, run)).rejects.toMatchObject({ ...ERR_STORE, cause: { code } });
        expect([runs, await countOf(opened, id)]).toEqual([Math.min(failures + 1, 5), failures < 5 ? 1 : 0]);
      }
    });

    it('resolves real conflicts of serializable transactions', async () => {
      const opened = await open(client);
      const table = `counts_${unique().replaceAll('-', '')}`;
      await opened.run(`CREATE TABLE ${table} (n int)`);
      await opened.run(`INSERT INTO ${table} VALUES (0)`);
      const store = opened.transactional({ isolationLevel: 'serializable', timeoutMs: 20_000 });
      const increment = async (tx: Run) => {
        await tx(`SELECT n FROM ${table}`);
        await tx(`UPDATE ${table} SET n = n + 1`);
      };
      const keys = Array.from({ length: 10 }, unique);
      await eventually(async () => {
        const results = await Promise.allSettled(keys.map((key) => once(store, key, increment)));
        expect(results.every((each) => each.status === 'fulfilled' && each.value === 'duplicate')).toBe(true);
      }, 20_000);
      expect(await opened.run(`SELECT n FROM ${table}`)).toEqual([{ n: keys.length }]);
    }, 30_000);

    it('works after a statement exceeded the statement_timeout of the pool', async () => {
      const opened = await open(client, { max: 1, session: { statement_timeout: '300' } });
      const store = opened.transactional();
      const key = unique();
      const slow = async (tx: Run) => void (await tx('SELECT pg_sleep(60)'));
      await expect(once(store, key, slow)).rejects.toMatchObject({ code: '57014' });
      expect(await once(store, key, nothing)).toBe('handled');
    });

    it.each(['LATIN1', 'SQL_ASCII'])('works in a database that is encoded as %s', async (encoding) => {
      const direct = await open(client);
      const name = `db_${encoding.toLowerCase()}_${unique().replaceAll('-', '')}`;
      await direct.run(`CREATE DATABASE ${name} ENCODING ${encoding} TEMPLATE template0 LOCALE 'C'`);
      const opened = await openClient(client, server().url.replace(/\/postgres$/, `/${name}`));
      for (const store of [opened.lease(), opened.transactional()]) {
        await store.migrate();
        for (const key of ['ключ', 'é', '\u{1f600}', unique()]) {
          const mine = `${key}${'once' in store}`;
          expect(await once(store, mine, nothing)).toBe('handled');
          expect(await once(store, mine, failing)).toBe('duplicate');
        }
      }
    });

    if (client.crashes) return;
    it('has each effect once while connections are terminated at random', async () => {
      const [opened, direct] = [await open(client, { max: 5 }), await open(client, { max: 1 })];
      const store = opened.transactional({ timeoutMs: 2000 });
      const keys = Array.from({ length: 60 }, unique);
      let isOver = false;
      const terminating = (async () => {
        while (!isOver) {
          await direct.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND random() < 0.5`);
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      })();
      const deliver = (key: string) =>
        eventually(async () => {
          const word = await once(store, key, async (tx) => {
            await write(key)(tx);
            await new Promise((resolve) => setTimeout(resolve, 10));
            await tx('SELECT 1');
          });
          expect(['handled', 'duplicate']).toContain(word);
        }, 20_000);
      await Promise.all(keys.map(deliver));
      isOver = true;
      await terminating;
      await eventually(async () => expect(await once(store, unique(), nothing)).toBe('handled'));
      for (const key of keys) expect([key, await countOf(direct, key)]).toEqual([key, 1]);
    }, 40_000);
  });
});
