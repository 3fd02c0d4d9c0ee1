import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromMysql2, fromPg, fromPostgresJs, type SqlDatabase, sqlStore } from '../../../src/stores/sql/index.js';
import { nothing, unique } from '../../contracts/store-helpers.js';
import { needsMariadb, startMariadb } from '../../servers/mariadb.js';
import { needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { once } from '../calls.js';

interface Opened {
  readonly db: SqlDatabase<unknown>;
  readonly close: () => Promise<unknown>;
}

type Open = (url: string) => Opened;

const clients: readonly [string, string, () => Promise<TestServer>, Readonly<Record<string, Open>>][] = [
  [
    'Postgres',
    needsPostgres,
    startPostgres,
    {
      'new Pool({ connectionString })': (connectionString) => {
        const pool = new Pool({ connectionString });
        return { db: fromPg(pool) as SqlDatabase<unknown>, close: () => pool.end() };
      },
      'postgres(url)': (url) => {
        const sql = postgres(url);
        return { db: fromPostgresJs(sql) as SqlDatabase<unknown>, close: () => sql.end() };
      },
    },
  ],
  [
    'MariaDB',
    needsMariadb,
    startMariadb,
    {
      'mysql.createPool(url)': (url) => {
        const pool = createPool(url);
        return { db: fromMysql2(pool) as SqlDatabase<unknown>, close: () => pool.end() };
      },
    },
  ],
];

for (const [name, missing, start, opens] of clients) {
  describe.skipIf(missing)(`clients as their documentation shows them, over ${name}${missing}`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await start();
    }, 60_000);
    afterAll(() => server.stop());

    it.each(Object.entries(opens))('%s handles an event once in both modes', async (_, open) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(nothing);
      onTestFinished(() => warn.mockRestore());
      const { db, close } = open(server.url);
      onTestFinished(() => close().then(nothing));
      await sqlStore({ db }).migrate();
      for (const store of [sqlStore({ db }), sqlStore({ db, transactional: true })]) {
        const key = unique();
        expect(await once(store, key, nothing)).toBe('handled');
        expect(await once(store, key, nothing)).toBe('duplicate');
      }
    });
  });
}
