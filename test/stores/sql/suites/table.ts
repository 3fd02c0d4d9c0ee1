import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { startProxy } from '../../../servers/proxy.js';
import { once } from '../../calls.js';
import { openClient, type SqlClient, type SqlServer } from '../client.js';

/** A table that no other test uses. */
const freshTable = () => `keys_${unique().replaceAll('-', '')}`;

/** The store's table in Postgres, through a client. */
export function describePostgresTable(client: SqlClient, { open: openWith, server }: SqlServer): void {
  const open = (settings = {}, port?: number) => openWith(client, settings, port);

  describe(`the table of ${client.title}`, () => {
    it('is created once by ten replicas that start at the same time', async () => {
      const table = freshTable();
      const replicas = await Promise.all(Array.from({ length: 10 }, () => open({ max: 1 })));
      const stores = replicas.map((each) => each.lease({ table }));
      await Promise.all(stores.map((store) => store.migrate()));
      await Promise.all(stores.map((store) => store.migrate()));
      const { run } = await open();
      const indexes = await run(`SELECT indexname FROM pg_indexes WHERE tablename = '${table}' ORDER BY 1`);
      expect(indexes).toEqual([{ indexname: `${table}_expires_at_idx` }, { indexname: `${table}_pkey` }]);
      expect(await once(stores[0] as object, unique(), nothing)).toBe('handled');
    });

    it('may be in a schema, and may have an SQL keyword or capitals as its name', async () => {
      const opened = await open();
      await opened.run('CREATE SCHEMA IF NOT EXISTS "App"');
      for (const table of ['App.select', 'User', 'App.user', 'x'.repeat(48)]) {
        for (const store of [opened.lease({ table }), opened.transactional({ table })]) {
          await store.migrate();
          await store.migrate();
          const key = unique();
          expect(await once(store, key, nothing)).toBe('handled');
          expect(await once(store, key, failing)).toBe('duplicate');
          expect(await store.sweep()).toBe(0);
        }
      }
    });

    it('is found where search_path says, whatever a handler sets it to for its transaction', async () => {
      const direct = await open();
      const schema = `Schema_${unique().replaceAll('-', '')}`;
      await direct.run(`CREATE SCHEMA "${schema}"`);
      const opened = await open({ max: 1, session: { search_path: `"${schema}"` } });
      const [leased, store] = [opened.lease(), opened.transactional()];
      await leased.migrate();
      expect(await direct.run(`SELECT schemaname FROM pg_tables WHERE schemaname = '${schema}'`)).toHaveLength(2);
      expect(await once(store, unique(), async (tx) => void (await tx('SET LOCAL search_path TO public')))).toBe(
        'handled',
      );
      for (const each of [leased, store]) expect(await once(each, unique(), nothing)).toBe('handled');
      // As a handler leaves it in a client that does not restore the session.
      await opened.run('SET search_path TO public');
      for (const each of [leased, store]) expect(await once(each, unique(), nothing)).toBe('handled');
      for (const each of [leased, store]) expect(await each.cursor(unique()).write('1', undefined)).toBe(true);
      expect(await direct.run(`SELECT key FROM "${schema}".webhook_idempotency_keys`)).toHaveLength(5);
      expect(await direct.run(`SELECT name FROM "${schema}".webhook_idempotency_keys_cursors`)).toHaveLength(2);
    });

    it('needs no privilege to create tables if it exists', async () => {
      const opened = await open();
      const [schema, role] = [freshTable(), `role_${unique().replaceAll('-', '')}`];
      const table = `${schema}.keys`;
      await opened.run(`CREATE SCHEMA ${schema}`);
      await opened.lease({ table }).migrate();
      await opened.run(`CREATE ROLE ${role} LOGIN PASSWORD 'password'`);
      await opened.run(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await opened.run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`);
      const restricted = await openClient(client, server().url.replace('postgres:password', `${role}:password`));
      for (const store of [restricted.lease({ table }), restricted.transactional({ table })]) {
        await store.migrate();
        expect(await once(store, unique(), nothing)).toBe('handled');
        expect(await store.sweep()).toBe(0);
      }
      await expect(restricted.lease({ table: freshTable() }).migrate()).rejects.toThrow();
    });

    it('is rid of what has expired, and of nothing else, however much it is', async () => {
      const opened = await open();
      const table = freshTable();
      const [store, short] = [opened.lease({ table }), opened.transactional({ table, retentionMs: 1 })];
      await store.migrate();
      const [kept, gone] = [unique(), unique()];
      await once(store, kept, nothing);
      await once(short, gone, nothing);
      await opened.run(
        `INSERT INTO ${table} SELECT 'old' || n, '', true, now() - interval '1 s' FROM generate_series(1, 20500) AS n`,
      );
      await eventually(async () =>
        expect(await opened.run(`SELECT key FROM ${table} WHERE key = '${gone}' AND expires_at < now()`)).toHaveLength(
          1,
        ),
      );
      const others = await Promise.all([open(), open()]);
      const counts = await Promise.all([opened, ...others].map((each) => each.lease({ table }).sweep()));
      expect(counts.reduce((sum, each) => sum + each)).toBe(20_501);
      expect(await opened.run(`SELECT key FROM ${table}`)).toEqual([{ key: kept }]);
    });

    it('does not lose an expired key that a transaction is taking again while it is swept', async () => {
      const opened = await open();
      const table = freshTable();
      const store = opened.transactional({ table });
      await store.migrate();
      const key = unique();
      await opened.run(`INSERT INTO ${table} VALUES ('${key}', '', true, now() - interval '1 s')`);
      expect(await once(store, key, async () => expect(await opened.lease({ table }).sweep()).toBe(0))).toBe('handled');
      expect(await once(store, key, failing)).toBe('duplicate');
    });

    it('keeps keys for the longest retention that a number can express', async () => {
      const opened = await open();
      const settings = { table: freshTable(), retentionMs: Number.MAX_SAFE_INTEGER, leaseMs: 2 ** 31 - 1 };
      await opened.lease(settings).migrate();
      for (const store of [opened.lease(settings), opened.transactional(settings)]) {
        const key = unique();
        expect(await once(store, key, nothing)).toBe('handled');
        expect(await once(store, key, failing)).toBe('duplicate');
      }
    });

    it('has a run once if the answer to its record is lost', async () => {
      const proxy = await startProxy(server().port);
      for (const arrived of [true, false]) {
        const store = (await open({}, proxy.port)).lease();
        const key = unique();
        let runs = 0;
        const run = async () => {
          runs++;
          proxy.cutAt(', TRUE,', arrived);
        };
        expect(await once(store, key, run)).toBe('handled');
        expect(await once(store, key, run)).toBe('duplicate');
        expect(runs).toBe(1);
      }
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
        await once(store, key, note).catch(nothing);
      }
      expect(tokens).toHaveLength(5);
      expect(tokens.every((token) => typeof token === 'bigint')).toBe(true);
      expect(tokens).toEqual(tokens.toSorted((a, b) => (Number(a) < Number(b) ? -1 : 1)));
      expect(new Set(tokens).size).toBe(5);
    });
  });
}
