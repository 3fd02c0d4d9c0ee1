import { describe, expect, it } from 'vitest';
import { type SqlDatabase, sqlStore } from '../../../../src/stores/sql/index.js';
import { failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { startProxy } from '../../../servers/proxy.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, ERR_UNKNOWN, type Run, useSqlServer, write } from '../client.js';
import { fakeDatabase } from '../fake-database.js';
import { postgresClients } from './clients.js';

it('is explained if a client wraps the error of Postgres', async () => {
  let text = '';
  const db: SqlDatabase = {
    dialect: 'postgres',
    run: async () => ({ rows: [] }),
    transaction: (work) =>
      work({
        tx: undefined,
        run: async () => ({ rows: [{ key: 'a', owner: '7' }] }),
        async commit(sent) {
          text = sent;
          const message = `invalid input syntax for type integer: "${/concat\('(.*?)'/.exec(sent)?.[1]}2026-01-01"`;
          throw new Error('Query failed.', { cause: Object.assign(new Error(message), { code: '22P02' }) });
        },
      }),
  };
  const store = sqlStore({ db, transactional: true, table: 'a.b' });
  await expect(once(store, 'a', nothing)).rejects.toMatchObject({
    ...ERR_UNKNOWN,
    message: expect.stringMatching(
      /^The handler ended the transaction of context\.tx itself, .* to the store\. Keys: a\.$/,
    ),
  });
  expect(text).toMatch(/; COMMIT$/);
});

it('is in the schema that was asked for once', async () => {
  const answers = { to_regclass: () => [{ schema: 'public' }] };
  const { db, log } = fakeDatabase(answers, { commit: async () => {} });
  const store = sqlStore({ db, transactional: true });
  for (const key of ['a', 'a']) expect(await once(store, key, nothing)).toBe('handled');
  expect(log.filter((each) => each.startsWith('beside'))).toEqual(['beside: SELECT relnamespace']);
});

describe.skipIf(!hasPostgres)(`the commit of a transaction of Postgres${needsPostgres}`, () => {
  const { open, server } = useSqlServer('postgres');

  describe.each(postgresClients)('$title', (client) => {
    it('rejects if Postgres refuses to commit, and frees the key', async () => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      await opened.run('CREATE TABLE IF NOT EXISTS deferred (id text UNIQUE DEFERRABLE INITIALLY DEFERRED)');
      const [key, id] = [unique(), unique()];
      const insert = (tx: Run) => tx(`INSERT INTO deferred VALUES ('${id}')`).then(nothing);
      await once(store, unique(), insert);
      await expect(once(store, key, insert)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('refused to commit'),
        cause: { code: '23505' },
      });
      expect(await once(store, key, nothing)).toBe('handled');
    });

    it('passes on the cause if a deferred trigger refuses to commit', async () => {
      const opened = await open(client, { max: 1 });
      await opened.run(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no such number' USING ERRCODE = '22P02'; END $$`);
      await opened.run('CREATE TABLE IF NOT EXISTS refused (id text)');
      await opened.run('DROP TRIGGER IF EXISTS refuses ON refused');
      await opened.run(`CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON refused DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()`);
      const insert = (tx: Run) => tx(`INSERT INTO refused VALUES ('1')`).then(nothing);
      await expect(once(opened.transactional(), unique(), insert)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.not.stringContaining('ended the transaction'),
        cause: { code: '22P02', message: 'no such number' },
      });
    });

    it('rejects if a statement failed and the handler ignored it', async () => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await tx('SELECT nonsense').catch(nothing);
      };
      await expect(once(store, key, run)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('although one of its statements failed'),
      });
      expect(await countOf(opened, id)).toBe(0);
      expect(await once(store, key, nothing)).toBe('handled');
    });

    if (client.isClosed)
      it('sends the check and COMMIT in one message', async () => {
        const [proxy, direct] = [await startProxy(server().port), await open(client)];
        const store = (await open(client, { max: 1 }, proxy.port)).transactional();
        const [key, id] = [unique(), unique()];
        await once(store, unique(), nothing);
        proxy.cutAt('txid_current_if_assigned', true);
        await expect(once(store, key, write(id))).rejects.toMatchObject({
          ...ERR_STORE,
          message: expect.stringContaining('unknown whether the transaction was committed'),
        });
        expect(await once(direct.transactional(), key, failing).catch(nothing)).not.toBe('handled');
        await expect.poll(() => countOf(direct, id)).toBe(1);
      });
  });
});
