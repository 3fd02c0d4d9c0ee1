import { describe, expect, it } from 'vitest';
import { failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { countOf, ERR_STORE, type Run, useServer, write } from '../client.js';
import { startCutter } from '../cutter.js';
import { postgresClients } from './clients.js';

describe.skipIf(!hasPostgres)(`the commit of a transaction of Postgres${needsPostgres}`, () => {
  const { open, server } = useServer('postgres');

  describe.each(postgresClients)('$title', (client) => {
    it.each([
      ['COMMIT', 'duplicate', 1],
      ['ROLLBACK', 'handled', 0],
    ])('does not commit a transaction that the handler began itself after %s', async (end, word, count) => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      const [key, before, after] = [unique(), unique(), unique()];
      const run = async (tx: Run) => {
        await write(before)(tx);
        await tx(end);
        await tx('BEGIN');
        await write(after)(tx);
      };
      await expect(store.once(key, run)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('ended the transaction of context.tx itself'),
      });
      expect([await countOf(opened, before), await countOf(opened, after)]).toEqual([count, 0]);
      expect(await store.once(key, nothing)).toBe(word);
    });

    it('rejects if Postgres refuses to commit, and frees the key', async () => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      await opened.run('CREATE TABLE IF NOT EXISTS deferred (id text UNIQUE DEFERRABLE INITIALLY DEFERRED)');
      const [key, id] = [unique(), unique()];
      const insert = (tx: Run) => tx(`INSERT INTO deferred VALUES ('${id}')`).then(nothing);
      await store.once(unique(), insert);
      await expect(store.once(key, insert)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('refused to commit'),
        cause: { code: '23505' },
      });
      expect(await store.once(key, nothing)).toBe('handled');
    });

    it('rejects if a statement failed and the handler ignored it', async () => {
      const opened = await open(client, { max: 1 });
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await tx('SELECT nonsense').catch(nothing);
      };
      await expect(store.once(key, run)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('although one of its statements failed'),
      });
      expect(await countOf(opened, id)).toBe(0);
      expect(await store.once(key, nothing)).toBe('handled');
    });

    it('sends the check and COMMIT in one message', async () => {
      const [cutter, direct] = [await startCutter(server().port), await open(client)];
      const store = (await open(client, { max: 1 }, cutter.port)).transactional();
      const [key, id] = [unique(), unique()];
      await store.once(unique(), nothing);
      cutter.cutAt('txid_current_if_assigned', true);
      await expect(store.once(key, write(id))).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('unknown whether the transaction was committed'),
      });
      expect(await direct.transactional().once(key, failing).catch(nothing)).not.toBe('handled');
      await expect.poll(() => countOf(direct, id)).toBe(1);
    });
  });
});
