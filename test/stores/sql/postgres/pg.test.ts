import pg, { type PoolClient } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromPg, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, useSqlServer } from '../client.js';
import { openPg, pgClient } from '../clients/pg.js';

describe.skipIf(!hasPostgres)(`fromPg and the features of pg${needsPostgres}`, () => {
  const server = useSqlServer('postgres');

  async function open(more: pg.PoolConfig = {}) {
    const opened = await server.open(pgClient);
    const pool = openPg(server.server().url, { max: 1 }, more);
    onTestFinished(() => pool.end());
    return { opened, pool, store: sqlStore({ db: fromPg(pool), transactional: true }) };
  }

  it('keeps the process alive when connections break that nobody listens to', async () => {
    const { opened, pool, store } = await open({ max: 2 });
    for (let time = 0; time < 20; time++) fromPg(pool);
    expect(['connect', 'acquire'].map((name) => pool.listenerCount(name))).toEqual([1, 1]);
    const db = sqlStore({ db: fromPg(pool), transactional: true });
    const idle = await pool.connect();
    idle.release();
    const cut = once(store, unique(), async (tx) => {
      await tx.query('SELECT 1');
      await opened.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
        AND backend_type = 'client backend'`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await expect(cut).rejects.toThrow();
    expect(idle.emit('error', new Error('terminating connection due to administrator command'))).toBe(true);
    await eventually(async () => expect(await once(db, unique(), nothing)).toBe('handled'));
  });

  it('lets no handler release or end the connection', async () => {
    const { store } = await open();
    await expect(once(store, unique(), async (tx) => tx.release())).rejects.toMatchObject(ERR_STORE);
    await expect(once(store, unique(), async (tx) => (tx as PoolClient & pg.Client).end())).rejects.toMatchObject(
      ERR_STORE,
    );
    expect(await once(store, unique(), nothing)).toBe('handled');
  });

  it('passes a client of pg, with all it can do', async () => {
    const { store } = await open();
    const run = async (tx: PoolClient) => {
      expect(tx).toBeInstanceOf(pg.Client);
      expect(tx.constructor.name).toBe('Client');
      expect(tx.escapeIdentifier('a"b')).toBe('"a""b"');
      const { rows } = await tx.query({ name: 'prepared', text: 'SELECT $1::int AS n', values: [1] });
      expect([rows, (await tx.query({ text: 'SELECT 2', rowMode: 'array' })).rows]).toEqual([[{ n: 1 }], [[2]]]);
    };
    for (const key of [unique(), unique()]) expect(await once(store, key, run)).toBe('handled');
  });

  it('is exact in a pool that pipelines', async () => {
    const { opened, store } = await open({ pipeline: true } as pg.PoolConfig);
    const [key, id] = [unique(), unique()];
    const both = async (tx: PoolClient) => {
      await Promise.all([
        tx.query('INSERT INTO effects VALUES ($1)', [id]),
        tx.query('SELECT nonsense').catch(nothing),
      ]);
    };
    await expect(once(store, key, both)).rejects.toMatchObject({
      ...ERR_STORE,
      message: expect.stringContaining('The handler resolved although one of its statements failed'),
    });
    expect(await countOf(opened, id)).toBe(0);
    expect(await once(store, key, (tx) => tx.query('INSERT INTO effects VALUES ($1)', [id]).then(nothing))).toBe(
      'handled',
    );
    expect(await countOf(opened, id)).toBe(1);
  });
});
