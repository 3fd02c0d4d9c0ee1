import { describe, expect, it, onTestFinished } from 'vitest';
import { fromMysql2, sqlStore } from '../../../../src/stores/sql/index.js';
import { failure } from '../../../contracts/letters.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { once, onceEach } from '../../calls.js';
import { countOf, databaseOf, ERR_STORE, type Opened, openClient, type Run, useSqlServer, write } from '../client.js';
import { mysql2Client, openMysql2 } from '../clients/mysql2.js';

const SETTINGS: Readonly<Record<string, string>>[] = [
  ...['ANSI', 'NO_BACKSLASH_ESCAPES', 'ORACLE', ''].map((mode) => ({
    sql_mode: mode,
  })),
  ...['READ-UNCOMMITTED', 'READ-COMMITTED', 'SERIALIZABLE'].map((level) => ({
    tx_isolation: level,
  })),
  { time_zone: '+13:00' },
  { collation_connection: 'latin1_german2_ci' },
  { character_set_results: 'latin1' },
  { sql_safe_updates: '1' },
  { sql_select_limit: '5000' },
];

describe.skipIf(!hasMariadb)(`sqlStore over MariaDB${needsMariadb}`, () => {
  const server = useSqlServer('mysql');

  async function works(opened: Opened): Promise<void> {
    const plain = await server.open(mysql2Client);
    for (const store of [opened.lease(), opened.transactional()]) {
      const [key, failed] = [unique(), unique()];
      await expect(once(store, failed, failing)).rejects.toThrow('the run failed');
      for (const each of [key, failed]) expect(await once(store, each, nothing)).toBe('handled');
      // On one clock with everybody else.
      expect(await once(plain.transactional(), key, failing)).toBe('duplicate');
      await plain.run(`UPDATE webhook_idempotency_keys SET expires_at = 0 WHERE \`key\` = '${key}'`);
      expect(await once(store, key, nothing)).toBe('handled');
      expect(await once(store, key, failing)).toBe('duplicate');
    }
    const store = opened.transactional();
    const [one, two, three] = [unique(), unique(), unique()];
    await once(store, two, nothing);
    const words = onceEach(store, [one, two, three], (fresh, tx) => write(fresh.join(' '))(tx));
    expect(await words).toEqual(['handled', 'duplicate', 'handled']);
    expect(await countOf(opened, `${one} ${three}`)).toBe(1);
    expect(await opened.lease().sweep()).toBeGreaterThanOrEqual(0);
    const { letters } = store;
    const dead = failure({ afterAttempts: 1, source: `It's`, message: '鍵 "\\', letter: '{"é":"\\u0000"}' });
    expect(await letters?.fail(three, dead)).toBeUndefined();
    const key = unique();
    for (const attempts of [1, 2]) expect(await letters?.fail(key, dead)).toMatchObject({ attempts, isDead: true });
    const { source, message, letter } = dead;
    expect((await letters?.look([key]))?.get(key)).toMatchObject({ source, message, letter, attempts: 2 });
    expect((await letters?.list({ source, limit: 5000 }))?.letters.has(key)).toBe(true);
    expect(await letters?.discard([key])).toEqual(new Set([key]));
  }

  it('takes no row for a duplicate, or for one that was left open, before it is committed', async () => {
    const opened = await server.open(mysql2Client, { session: { tx_isolation: 'READ-UNCOMMITTED' } });
    for (const first of ['SELECT 1', 'SAVEPOINT any_name']) {
      const key = unique();
      const run = async (tx: Run) => {
        await tx(first);
        for (const store of [opened.transactional(), opened.lease({ timeoutMs: 300 })])
          expect(['in-progress', 'late']).toContain(await once(store, key, nothing).catch(() => 'late'));
        await failing();
      };
      await expect(once(opened.transactional(), key, run)).rejects.toThrow('the run failed');
      // A claim that came too late is released.
      await eventually(async () => expect(await once(opened.transactional(), key, nothing)).toBe('handled'));
    }
  });

  it.each(SETTINGS)('works in a session with %j', async (session) => {
    const url = server.server().url;
    await server.open(mysql2Client);
    await works(await openClient(mysql2Client, url, { session }));
  });

  it.each([
    { rowsAsArray: true },
    { typeCast: () => 'nonsense' },
    { namedPlaceholders: true },
    { supportBigNumbers: true, bigNumberStrings: true },
    { multipleStatements: true },
    { resetOnRelease: true },
    { charset: 'LATIN1_SWEDISH_CI' },
    { connectionLimit: 1 },
  ])('works with the pool option %j', async (options) => {
    await server.open(mysql2Client);
    const pool = openMysql2(server.server().url, {}, options as object);
    onTestFinished(() => pool.end());
    for (const transactional of [true, false]) {
      const store = sqlStore({ db: fromMysql2(pool), transactional } as { db: ReturnType<typeof fromMysql2> });
      const key = `a:b?c${unique()}`;
      expect(await once(store, key, nothing)).toBe('handled');
      expect(await once(store, key, failing)).toBe('duplicate');
    }
  });

  it('refuses connections with autocommit off by name', async () => {
    await server.open(mysql2Client);
    const opened = await server.open(mysql2Client, { session: { autocommit: '0' } });
    for (const store of [opened.lease(), opened.transactional()]) {
      await expect(once(store, unique(), failing)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('`autocommit` off'),
      });
    }
  });

  it('needs the name of a database, and keeps databases apart', async () => {
    const root = (server.server() as unknown as { rootUrl: string }).rootUrl;
    const database = databaseOf(server);
    const admin = await openClient(mysql2Client, root);
    await admin.run('CREATE DATABASE IF NOT EXISTS `an``other`');
    const nowhere = await openClient(mysql2Client, root.replace(database, ''));
    await expect(once(nowhere.transactional(), unique(), failing)).rejects.toMatchObject({
      ...ERR_STORE,
      message: expect.stringContaining('schema.table'),
    });
    await server.open(mysql2Client);
    const named = nowhere.transactional({ table: `${database}.webhook_idempotency_keys` });
    const other = await openClient(mysql2Client, root.replace(database, encodeURIComponent('an`other')));
    await other.lease().migrate();
    const key = unique();
    const inBoth = once(named, key, async () => {
      expect(await once(admin.transactional(), key, failing)).toBe('in-progress');
      expect(await once(other.transactional(), key, nothing)).toBe('handled');
    });
    expect(await inBoth).toBe('handled');
    expect(await once(admin.transactional(), key, failing)).toBe('duplicate');
  });

  it('migrates at the same time, and sweeps expired keys', async () => {
    const opened = await server.open(mysql2Client);
    const store = opened.transactional({ table: 'swept', retentionMs: 1 });
    await Promise.all(Array.from({ length: 5 }, () => store.migrate()));
    const keys = Array.from({ length: 2500 }, unique);
    await onceEach(store, keys, nothing as never);
    const kept = unique();
    await once(opened.transactional({ table: 'swept' }), kept, nothing);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const swept = await Promise.all([store.sweep(), store.sweep()]);
    expect(Math.max(...swept)).toBe(2500);
    expect(await once(store, kept, failing)).toBe('duplicate');
    expect(await opened.run('SELECT COUNT(*) AS n FROM swept')).toMatchObject([{ n: 1 }]);
  });
});
