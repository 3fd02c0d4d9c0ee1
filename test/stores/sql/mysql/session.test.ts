import type { PoolConnection } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromMysql2, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { once } from '../../calls.js';
import { countOf, databaseOf, ERR_STORE, ERR_UNKNOWN, type Run, useServer, write } from '../client.js';
import { openMysql2 } from '../clients/mysql2.js';
import { mysqlClients } from './clients.js';

/** The connection of mysql2 with callbacks. */
type Raw = { promise(): Pick<PoolConnection, 'query'> };

/** What handlers do to the session of MySQL or MariaDB. */
describe.skipIf(!hasMariadb)(`sqlStore over MariaDB${needsMariadb}`, () => {
  const server = useServer('mysql');
  describe.each(mysqlClients)('$title, when a handler changes its session', (client) => {
    it.each([
      ['SET SESSION sql_mode = "ANSI"', 'sql_mode'],
      ['SET time_zone = "+13:00", foreign_key_checks = 0', 'time_zone, foreign_key_checks'],
      ['SET NAMES latin1', 'character_set_client, character_set_results, collation_connection'],
      ['SET SESSION TRANSACTION READ ONLY', 'tx_read_only'],
      ['SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'tx_isolation'],
      ['SET SESSION sql_select_limit = 1', 'sql_select_limit'],
      ['USE information_schema', 'the database'],
    ])('rolls back, names the setting, and does not pass it on: %s', async (text, names) => {
      const opened = await server.open(client, { max: 1 });
      const store = opened.transactional();
      for (const end of [nothing, failing]) {
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await tx(`INSERT INTO ${databaseOf(server)}.effects VALUES ('${id}')`);
          await tx(text);
          await end();
        };
        const error = await once(store, key, run).catch((each: Error & { code?: string }) => each);
        if (end === nothing) expect(error).toMatchObject({ ...ERR_STORE, message: expect.stringContaining(names) });
        else expect(error).toMatchObject({ message: 'the run failed' });
        expect(await countOf(opened, id)).toBe(0);
        await eventually(async () => expect(await once(store, key, write(id))).toBe('handled'));
        expect(await countOf(opened, id)).toBe(1);
      }
    });

    it('lets a handler change a setting and restore it', async () => {
      const opened = await server.open(client, { max: 1 });
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await tx('SET foreign_key_checks = 0');
        await write(id)(tx);
        await tx('SET foreign_key_checks = 1');
      };
      expect(await once(opened.transactional(), key, run)).toBe('handled');
      expect(await countOf(opened, id)).toBe(1);
    });

    it('commits and restores autocommit, although a handler turned it off', async () => {
      const [opened, other] = [await server.open(client, { max: 1 }), await server.open(client)];
      const id = unique();
      const run = async (tx: Run) => {
        await tx('SET autocommit = 0');
        await write(id)(tx);
      };
      expect(await once(opened.transactional(), unique(), run)).toBe('handled');
      expect(await countOf(other, id)).toBe(1);
      expect(await opened.run('SELECT @@autocommit AS autocommit')).toMatchObject([{ autocommit: 1 }]);
    });

    it.each([
      ['LOCK TABLES', 'LOCK TABLES effects WRITE'],
      ['COMMIT AND CHAIN', 'COMMIT AND CHAIN'],
    ])('refuses by name what commits: %s', async (_, text) => {
      const opened = await server.open(client, { max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await tx(text);
      };
      await expect(once(store, key, run)).rejects.toMatchObject({
        ...ERR_UNKNOWN,
        message: expect.stringContaining('ended the transaction of context.tx itself'),
      });
      // No table stays locked.
      await eventually(async () => expect(await once(store, key, failing)).toBe('unknown'));
      const direct = await server.open(client);
      expect(await countOf(direct, id)).toBe(1);
      expect(await once(direct.transactional(), unique(), write(unique()))).toBe('handled');
    });

    it('takes four round trips for a handler of one plain statement', async () => {
      const opened = await server.open(client, { max: 1 });
      const store = opened.transactional();
      const questions = async () => Number((await opened.run(`SHOW SESSION STATUS LIKE 'Questions'`))[0]?.Value);
      await once(store, unique(), nothing);
      const before = await questions();
      expect(await once(store, unique(), write(unique()))).toBe('handled');
      // One is the question itself.
      expect((await questions()) - before - 1).toBe(4);
    });

    it('releases locks that a handler left to its session', async () => {
      const [opened, other] = [await server.open(client, { max: 1 }), await server.open(client, { max: 1 })];
      const name = unique();
      const lock = async (tx: Run) => void (await tx(`SELECT GET_LOCK('${name}', 0)`));
      expect(await once(opened.transactional(), unique(), lock)).toBe('handled');
      expect(await once(opened.transactional(), unique(), nothing)).toBe('handled');
      expect(await other.run(`SELECT IS_FREE_LOCK('${name}') AS free`)).toMatchObject([{ free: 1 }]);
    });
  });

  it.each<[string, (tx: PoolConnection) => Promise<unknown>]>([
    ['tx.commit()', (tx) => tx.commit()],
    ['the connection within tx', (tx) => (tx as unknown as { connection: Raw }).connection.promise().query('COMMIT')],
    ['a second statement', (tx) => tx.query('SELECT 1; COMMIT')],
    ['a procedure', (tx) => tx.query('CALL commits()')],
  ])('refuses by name a handler of mysql2 that commits by %s', async (_, commit) => {
    await server.open(mysqlClients[0] as (typeof mysqlClients)[0]);
    const pool = openMysql2(server.server().url, { max: 1 }, { multipleStatements: true });
    onTestFinished(() => pool.end());
    await pool.query('CREATE OR REPLACE PROCEDURE commits() COMMIT');
    const store = sqlStore({ db: fromMysql2(pool), transactional: true });
    const result = once(store, unique(), async (tx) => {
      await tx.query('INSERT INTO effects VALUES (?)', [unique()]);
      await commit(tx);
    });
    await expect(result).rejects.toMatchObject({
      ...ERR_UNKNOWN,
      message: expect.stringContaining('ended the transaction of context.tx itself'),
    });
  });
});
