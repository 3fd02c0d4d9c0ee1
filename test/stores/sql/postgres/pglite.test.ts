import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebhookError } from '../../../../src/index.js';
import { fromPGlite, sqlStore } from '../../../../src/stores/sql/index.js';
import { describeStore } from '../../../contracts/store.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { countOf, ERR_STORE, ERR_UNKNOWN, type Run, write } from '../client.js';
import { openPGlite } from '../clients/pglite.js';
import { describeCursors } from '../suites/cursor.js';

describe('sqlStore over PGlite', () => {
  const db = new PGlite();
  const open = async () => openPGlite(db);
  beforeAll(async () => {
    await sqlStore({ db: fromPGlite(db) }).migrate();
    await db.query('CREATE TABLE effects (id text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)');
  }, 30_000);
  afterAll(() => db.close());

  describeStore(
    'fromPGlite, lease',
    { meanwhile: 'in-progress', shared: true, leases: true },
    {
      open: async (settings) => (await open()).lease(settings),
    },
  );

  describeCursors('fromPGlite', async (settings) => (await open()).lease(settings));

  describe('transactional', () => {
    it('commits key and effect together, or neither', async () => {
      const opened = await open();
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        await failing();
      };
      await expect(store.once(key, run)).rejects.toThrow('the run failed');
      expect(await countOf(opened, id)).toBe(0);
      expect(await store.once(key, write(id))).toBe('handled');
      expect(await store.once(key, failing)).toBe('duplicate');
      expect(await countOf(opened, id)).toBe(1);
      await expect(store.once(unique(), write(id))).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('refused to commit'),
      });
    });

    it('handles ten deliveries at once, one after the other', async () => {
      const opened = await open();
      const store = opened.transactional({ timeoutMs: 20_000 });
      const keys = Array.from({ length: 20 }, unique);
      const deliveries = Array.from({ length: 10 }, (_, at) => (at % 2 ? keys : keys.toReversed()));
      const writeAll = (fresh: readonly string[], tx: Run) =>
        tx(`INSERT INTO effects VALUES ${fresh.map((id) => `('${id}')`).join(', ')}`).then(nothing);
      const words = await Promise.all(deliveries.map((each) => store.onceEach?.(each, writeAll)));
      expect(words.flat().filter((word) => word === 'handled')).toHaveLength(20);
      expect(words.flat().filter((word) => word === 'duplicate')).toHaveLength(180);
      for (const id of keys) expect(await countOf(opened, id)).toBe(1);
    });

    it.each(['COMMIT', 'ROLLBACK'])('refuses by name a handler that sends %s', async (text) => {
      const opened = await open();
      const store = opened.transactional();
      const key = unique();
      const run = async (tx: Run) => void (await tx(text));
      await expect(store.once(key, run)).rejects.toMatchObject({
        ...ERR_UNKNOWN,
        message: expect.stringContaining('ended the transaction of context.tx itself'),
      });
      expect(await store.once(key, nothing)).toBe('unknown');
    });

    it.each(['serializable', 'repeatable read'] as const)('takes the isolation level %s', async (isolationLevel) => {
      const levels: unknown[] = [];
      const store = (await open()).transactional({ isolationLevel });
      await store.once(unique(), async (tx) => void levels.push(await tx('SHOW transaction_isolation')));
      expect(levels).toMatchObject([{ rows: [{ transaction_isolation: isolationLevel }] }]);
    });

    it('keeps nothing of a handler that timed out, and lets others run', async () => {
      const opened = await open();
      const store = opened.transactional();
      const [key, early, late] = [unique(), unique(), unique()];
      const [gate, settled] = [deferred(), deferred()];
      const result = store.once(key, async (tx, options) => {
        await write(early)(tx);
        options?.onTimeout?.(new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time'));
        await gate.promise;
        await expect(write(late)(tx)).rejects.toMatchObject(ERR_STORE);
        settled.resolve();
      });
      await expect(result).rejects.toThrow('out of time');
      await eventually(async () => expect(await store.once(key, write(unique()))).toBe('handled'));
      gate.resolve();
      await settled.promise;
      for (const id of [early, late]) expect(await countOf(opened, id)).toBe(0);
    });

    it('restores the settings that a handler changes, and releases its locks', async () => {
      const opened = await open();
      const store = opened.transactional();
      const settings = () =>
        opened.run(`SELECT current_setting('search_path') AS path, current_setting('default_transaction_read_only') AS ro,
          current_user AS role, current_setting('work_mem') AS mem,
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks`);
      await db.query("SET work_mem = '8MB'");
      const [before] = await settings();
      await store.once(unique(), async (tx) => {
        await tx('SET search_path TO nowhere');
        await tx('SET default_transaction_read_only = on');
        await tx("SET work_mem = '1MB'");
        await tx('SELECT pg_advisory_lock(1)');
        await tx('SET ROLE pg_monitor');
      });
      expect([before?.mem, await settings()]).toEqual(['8MB', [before]]);
      expect(await store.once(unique(), write(unique()))).toBe('handled');
    });
  });
});
