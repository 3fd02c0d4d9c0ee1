import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inline, statementsFor } from '../../../src/stores/postgres/sql.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { startCutter } from '../sql/cutter.js';
import { driverNames, openPool } from './drivers.js';

/** A table that no other test uses. */
const freshTable = () => `keys_${unique().replaceAll('-', '_')}`;

describe.skipIf(!hasPostgres)(`the table of postgresStore${needsPostgres}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 30_000);
  afterAll(() => server.stop());

  describe.each(driverNames)('%s', (driver) => {
    const open = (settings = {}) => openPool(driver, server.url, settings);

    it('is created once by twenty replicas that start at the same time', async () => {
      const table = freshTable();
      const stores = Array.from({ length: 20 }, () => open({ max: 1 }).lease({ table }));
      await Promise.all(stores.map((store) => store.migrate()));
      await Promise.all(stores.map((store) => store.migrate()));
      const { run } = open();
      const indexes = await run(`SELECT indexname FROM pg_indexes WHERE tablename = '${table}' ORDER BY 1`);
      expect(indexes).toEqual([{ indexname: `${table}_expires_at_idx` }, { indexname: `${table}_pkey` }]);
      expect(await stores[0]?.once(unique(), nothing)).toBe('handled');
    });

    it('may be in a schema, and may have an SQL keyword or capitals as its name', async () => {
      const opened = open();
      await opened.run('CREATE SCHEMA IF NOT EXISTS "App"');
      for (const table of ['App.select', 'User', 'App.user', `${'x'.repeat(48)}`]) {
        for (const store of [opened.lease({ table }), opened.transactional({ table })]) {
          await store.migrate();
          await store.migrate();
          const key = unique();
          expect(await store.once(key, nothing)).toBe('handled');
          expect(await store.once(key, failing)).toBe('duplicate');
          expect(await store.sweep()).toBe(0);
        }
      }
    });

    it('needs no privilege to create tables if it exists', async () => {
      const opened = open();
      const [table, role] = [freshTable(), `role_${unique().replaceAll('-', '_')}`];
      await opened.lease({ table }).migrate();
      await opened.run(`CREATE ROLE ${role} LOGIN PASSWORD 'password'`);
      await opened.run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`);
      const restricted = openPool(driver, server.url.replace('postgres:password', `${role}:password`));
      for (const store of [restricted.lease({ table }), restricted.transactional({ table })]) {
        await store.migrate();
        expect(await store.once(unique(), nothing)).toBe('handled');
        expect(await store.sweep()).toBe(0);
      }
      await expect(restricted.lease({ table: freshTable() }).migrate()).rejects.toMatchObject({ code: '42501' });
    });

    it('causes an error with its name and the fix if it does not exist', async () => {
      const opened = open();
      const table = `nowhere.${freshTable()}`;
      const missing = {
        code: 'ERR_WEBHOOK_STORE',
        message: `The table ${table} does not exist. Call migrate() of the store before deliveries arrive.`,
      };
      for (const store of [opened.lease({ table }), opened.transactional({ table })]) {
        await expect(store.once(unique(), failing)).rejects.toMatchObject(missing);
        await expect(store.sweep()).rejects.toMatchObject(missing);
      }
    });

    it('is rid of what has expired, and of nothing else, however much it is', async () => {
      const opened = open();
      const table = freshTable();
      const [store, short] = [opened.lease({ table }), opened.transactional({ table, retentionMs: 1 })];
      await store.migrate();
      const [kept, gone] = [unique(), unique()];
      await store.once(kept, nothing);
      await short.once(gone, nothing);
      await opened.run(
        `INSERT INTO ${table} SELECT 'old' || n, '', true, now() - interval '1 s' FROM generate_series(1, 20500) AS n`,
      );
      await eventually(async () =>
        expect(await opened.run(`SELECT FROM ${table} WHERE key = '${gone}' AND expires_at < now()`)).toHaveLength(1),
      );
      expect(await store.sweep()).toBe(20_501);
      expect(await store.sweep()).toBe(0);
      expect(await opened.run(`SELECT key FROM ${table}`)).toEqual([{ key: kept }]);
    });

    it('is swept by several replicas at the same time, each row by one', async () => {
      const opened = open();
      const table = freshTable();
      await opened.lease({ table }).migrate();
      await opened.run(
        `INSERT INTO ${table} SELECT 'old' || n, '', true, now() - interval '1 s' FROM generate_series(1, 15000) AS n`,
      );
      const counts = await Promise.all([1, 2, 3].map(() => open().lease({ table }).sweep()));
      expect(counts.reduce((sum, each) => sum + each)).toBe(15_000);
    });

    it('does not lose an expired key that a transaction is taking again while it is swept', async () => {
      const opened = open();
      const table = freshTable();
      const store = opened.transactional({ table, retentionMs: 60_000 });
      await store.migrate();
      const key = unique();
      await opened.run(`INSERT INTO ${table} VALUES ('${key}', '', true, now() - interval '1 s')`);
      expect(await store.once(key, async () => expect(await opened.lease({ table }).sweep()).toBe(0))).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
    });

    it('keeps keys for the longest retention that a number can express', async () => {
      const opened = open();
      const settings = { table: freshTable(), retentionMs: Number.MAX_SAFE_INTEGER, leaseMs: 2 ** 31 - 1 };
      await opened.lease(settings).migrate();
      for (const store of [opened.lease(settings), opened.transactional(settings)]) {
        const key = unique();
        expect(await store.once(key, nothing)).toBe('handled');
        expect(await store.once(key, failing)).toBe('duplicate');
      }
    });

    it('records a run once if the answer to its record is lost', async () => {
      const cutter = await startCutter(server.port);
      const table = freshTable();
      await open().lease({ table }).migrate();
      for (const arrived of [true, false]) {
        const store = openPool(driver, server.url.replace(String(server.port), String(cutter.port))).lease({ table });
        const key = unique();
        let runs = 0;
        const run = async () => {
          runs++;
          cutter.cutAt(', TRUE,', arrived);
        };
        expect(await store.once(key, run)).toBe('handled');
        expect(await store.once(key, run)).toBe('duplicate');
        expect(runs).toBe(1);
      }
    });

    it('does not run if the answer to a claim is lost, and lets another claim after the lease', async () => {
      const cutter = await startCutter(server.port);
      const table = freshTable();
      const store = openPool(driver, server.url.replace(String(server.port), String(cutter.port))).lease({
        table,
        leaseMs: 200,
      });
      await store.migrate();
      const key = unique();
      cutter.cutAt(', FALSE,', true);
      await expect(store.once(key, failing)).rejects.not.toThrow('the run failed');
      await eventually(async () => expect(await store.once(key, nothing)).toBe('handled'));
    });
  });

  describe('by its statements', () => {
    async function tableOf() {
      const table = freshTable();
      const { run } = openPool('pg', server.url);
      const statements = statementsFor(table, { leaseMs: 60_000, retentionMs: 60_000 });
      await run(inline(statements.migrate));
      return { run, statements, table };
    }
    const claimed = [{ '?column?': expect.stringMatching(/^claimed \d+$/) }];

    it('lets an owner repeat its claim, as a driver does that sends a statement twice', async () => {
      const { run, statements } = await tableOf();
      expect(await run(inline(statements.claim('key', 'me')))).toEqual(claimed);
      expect(await run(inline(statements.claim('key', 'me')))).toEqual(claimed);
      expect(await run(inline(statements.claim('key', 'other')))).toEqual([]);
      expect(await run(`${inline(statements.complete('key', 'me'))} RETURNING 1 AS one`)).toEqual([{ one: 1 }]);
      expect(await run(inline(statements.claim('key', 'me')))).toEqual([]);
    });

    it('lets an owner complete twice, and after a sweep, but no other owner during the lease', async () => {
      const { run, statements, table } = await tableOf();
      const complete = async (owner: string) =>
        (await run(`${inline(statements.complete('key', owner))} RETURNING 1`)).length;
      await run(inline(statements.claim('key', 'me')));
      expect(await complete('other')).toBe(0);
      expect([await complete('me'), await complete('me')]).toEqual([1, 1]);
      expect(await complete('other')).toBe(0);
      await run(`DELETE FROM ${table}`);
      expect(await complete('me')).toBe(1);
    });

    it('releases the owner’s claim, but neither a completed key nor another’s claim', async () => {
      const { run, statements, table } = await tableOf();
      await run(inline(statements.claim('key', 'me')));
      await run(inline(statements.release('key', 'other')));
      expect(await run(`SELECT FROM ${table}`)).toHaveLength(1);
      await run(inline(statements.release('key', 'me')));
      expect(await run(`SELECT FROM ${table}`)).toHaveLength(0);
      await run(inline(statements.complete('key', 'me')));
      await run(inline(statements.release('key', 'me')));
      expect(await run(`SELECT FROM ${table}`)).toHaveLength(1);
    });
  });
});

describe('the statements of postgresStore', () => {
  const settings = { leaseMs: 60_000, retentionMs: 60_000 };

  it('accept no value that could break out of its quotes', () => {
    const statements = statementsFor('keys', settings);
    for (const text of ["a'b", '', 'a b', 'a\\', 'a;b', '$$', 'ä', 'a\n', 'a\0']) {
      expect(() => inline(statements.claim(text, 'me'))).toThrow(TypeError);
      expect(() => inline(statements.claim('key', text))).toThrow(TypeError);
      expect(() => inline(statements.check(text))).toThrow(TypeError);
    }
  });

  it.each([
    '',
    ' ',
    'a b',
    'a"b',
    "a'b",
    'a;b',
    'a-b',
    '1a',
    '.',
    'a.',
    '.a',
    'a.b.c',
    'a..b',
    '"a"',
    'ключ',
    'a\n',
    'a\0',
    'x'.repeat(49),
    `${'s'.repeat(64)}.a`,
    'keys; DROP TABLE users; --',
  ])('refuse %j as the table', (table) => {
    expect(() => statementsFor(table, settings)).toThrow(
      expect.objectContaining({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringMatching(/^`table` must be an identifier .*, got \w/),
      }),
    );
  });
});
