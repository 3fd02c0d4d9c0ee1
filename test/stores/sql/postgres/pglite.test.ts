import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromPGlite, sqlStore } from '../../../../src/stores/sql/index.js';
import { unique } from '../../../contracts/store-helpers.js';
import { once } from '../../calls.js';
import { ERR_STORE, write } from '../client.js';
import { openPGlite, pgliteIn } from '../clients/pglite.js';
import { describeMode } from '../suites/contract.js';
import { describeCursors } from '../suites/cursor.js';

describe('sqlStore over PGlite', () => {
  const db = new PGlite();
  const open = async () => openPGlite(db);
  beforeAll(async () => {
    await sqlStore({ db: fromPGlite(db) }).migrate();
    await db.query('CREATE TABLE effects (id text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)');
  }, 30_000);
  afterAll(() => db.close());

  for (const kind of ['lease', 'transactional'] as const) describeMode(pgliteIn(db), kind, open);

  describeCursors('fromPGlite', async (settings) => (await open()).lease(settings));

  describe('transactional', () => {
    it('rejects if Postgres refuses to commit', async () => {
      const [store, id] = [(await open()).transactional(), unique()];
      await once(store, unique(), write(id));
      await expect(once(store, unique(), write(id))).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('refused to commit'),
      });
    });

    it.each(['serializable', 'repeatable read'] as const)('takes the isolation level %s', async (isolationLevel) => {
      const levels: unknown[] = [];
      const store = (await open()).transactional({ isolationLevel });
      await once(store, unique(), async (tx) => void levels.push(await tx('SHOW transaction_isolation')));
      expect(levels).toMatchObject([{ rows: [{ transaction_isolation: isolationLevel }] }]);
    });
  });
});
