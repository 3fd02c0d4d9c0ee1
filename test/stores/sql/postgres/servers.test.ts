import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { openClient, type Run, useSqlServer } from '../client.js';
import { postgresClients } from './clients.js';

describe.skipIf(!hasPostgres)(`sqlStore over Postgres, as servers are configured${needsPostgres}`, () => {
  const { open, server } = useSqlServer('postgres');

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
  });
});
