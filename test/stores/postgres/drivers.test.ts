import pg, { type PoolClient } from 'pg';
import postgres, { type TransactionSql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../../../src/index.js';
import { postgresStore } from '../../../src/stores/postgres/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { event, secret, signed } from '../../helpers.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { startCutter } from '../sql/cutter.js';
import { openPool } from './drivers.js';

const ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };

describe.skipIf(!hasPostgres)(`postgresStore, transactional, and features of its driver${needsPostgres}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
    const sql = postgres(server.url, { onnotice: nothing });
    await postgresStore({ pool: sql }).migrate();
    await sql`CREATE TABLE effects (id text PRIMARY KEY)`;
    await sql.end();
  }, 30_000);
  afterAll(() => server.stop());

  function openPg(options: pg.PoolConfig = {}) {
    const pool = new pg.Pool({ connectionString: server.url, max: 1, ...options });
    onTestFinished(() => pool.end());
    return { pool, store: postgresStore({ pool, transactional: true }) };
  }
  function openPostgresJs(options: postgres.Options<Record<string, postgres.PostgresType>> = {}) {
    const sql = postgres(server.url, { max: 1, onnotice: nothing, ...options });
    onTestFinished(() => sql.end({ timeout: 1 }));
    return { sql, store: postgresStore({ pool: sql, transactional: true }) };
  }
  const written = async (id: string) =>
    (await openPool('pg', server.url).run(`SELECT FROM effects WHERE id = '${id}'`)).length === 1;

  describe('pg', () => {
    it('is available to the handler as context.tx', async () => {
      const { store } = openPg();
      const id = unique();
      const receiver = createReceiver({
        secret,
        toleranceSeconds: false,
        store,
        onEvent: (each, { tx }) => tx.query('INSERT INTO effects VALUES ($1)', [each.id]),
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({
        status: 200,
        outcomes: [{ status: 'handled' }],
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({ outcomes: [{ status: 'duplicate' }] });
      expect(await written(id)).toBe(true);
    });

    it('rolls back the writes of a handler that timed out', async () => {
      const { pool, store } = openPg();
      const id = unique();
      let after: Promise<unknown> | undefined;
      const receiver = createReceiver({
        secret,
        toleranceSeconds: false,
        store,
        handlerTimeoutMs: 50,
        async onEvent(each, { tx, signal }) {
          await tx.query('INSERT INTO effects VALUES ($1)', [each.id]);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          // Once the store has closed the transaction, which is right after the signal.
          after = eventually(() => expect(tx.query(`INSERT INTO effects VALUES ('${id} late')`)).rejects.toThrow());
          await after;
        },
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({ status: 500 });
      await pool.query('SELECT 1');
      await after;
      expect([await written(id), await written(`${id} late`)]).toEqual([false, false]);
    });

    it('rejects a handler’s late calls like an ended client, so that no callback crashes the process', async () => {
      const { store } = openPg();
      const leaked: PoolClient[] = [];
      const listen = async (tx: PoolClient) => void leaked.push(tx, tx.on('notice', nothing), tx.once('end', nothing));
      expect(await store.once(unique(), listen)).toBe('handled');
      expect(leaked).toHaveLength(3);
      for (const tx of leaked) {
        await expect(tx.query('SELECT 1')).rejects.toMatchObject(ERR_STORE);
        const told = new Promise((resolve) => tx.query('SELECT 1', resolve));
        expect(await told).toMatchObject(ERR_STORE);
      }
    });

    it('cannot be released or ended by a handler', async () => {
      const { store } = openPg();
      await expect(store.once(unique(), async (tx) => tx.release())).rejects.toMatchObject(ERR_STORE);
      await expect(store.once(unique(), async (tx) => tx.end())).rejects.toMatchObject(ERR_STORE);
      expect(await store.once(unique(), nothing)).toBe('handled');
    });

    it('still looks like a client of pg', async () => {
      const { store } = openPg();
      const run = async (tx: pg.PoolClient) => {
        expect(tx).toBeInstanceOf(pg.Client);
        expect(tx.constructor.name).toBe('Client');
        expect(tx.escapeIdentifier('a"b')).toBe('"a""b"');
        const [{ rows }, { rows: more }] = [
          await tx.query({ text: 'SELECT $1::int AS n', values: [1] }),
          await tx.query({ text: 'SELECT 2', rowMode: 'array' }),
        ];
        expect([rows, more]).toEqual([[{ n: 1 }], [[2]]]);
      };
      expect(await store.once(unique(), run)).toBe('handled');
    });

    it('keeps no listener on a connection', async () => {
      const { pool, store } = openPg();
      for (let count = 0; count < 20; count++) await store.once(unique(), nothing);
      await store.once(unique(), failing).catch(nothing);
      const client = await pool.connect();
      expect(client.listenerCount('error')).toBe(0);
      client.release();
    });

    it('is exact in a pool that pipelines', async () => {
      const { store } = openPg({ pipeline: true });
      const [key, id] = [unique(), unique()];
      const both = async (tx: pg.PoolClient) => {
        await Promise.all([
          tx.query('INSERT INTO effects VALUES ($1)', [id]),
          tx.query('SELECT nonsense').catch(nothing),
        ]);
      };
      await expect(store.once(key, both)).rejects.toMatchObject(ERR_STORE);
      expect(await written(id)).toBe(false);
      expect(await store.once(key, (tx) => tx.query('INSERT INTO effects VALUES ($1)', [id]).then(nothing))).toBe(
        'handled',
      );
      expect(await written(id)).toBe(true);
    });
  });

  describe('postgres.js', () => {
    const insert = (id: string) => async (tx: TransactionSql) => void (await tx`INSERT INTO effects VALUES (${id})`);

    it('is available to the handler as context.tx', async () => {
      const { store } = openPostgresJs();
      const id = unique();
      const receiver = createReceiver({
        secret,
        toleranceSeconds: false,
        store,
        onEvent: (each, { tx }) => insert(each.id)(tx),
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({
        status: 200,
        outcomes: [{ status: 'handled' }],
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({ outcomes: [{ status: 'duplicate' }] });
      expect(await written(id)).toBe(true);
    });

    it('has its helpers, fragments, cursors and savepoints', async () => {
      const { store } = openPostgresJs();
      const [kept, undone] = [unique(), unique()];
      const run = async (tx: TransactionSql) => {
        await tx`INSERT INTO ${tx('effects')} ${tx([{ id: kept }])}`;
        expect(await tx`SELECT id FROM effects WHERE ${tx`id = ${kept}`}`).toEqual([{ id: kept }]);
        for await (const rows of tx`SELECT generate_series(1, 3) AS n`.cursor(2)) expect(rows.length).toBeLessThan(3);
        const failed = tx.savepoint(async (inner) => {
          await insert(undone)(inner);
          await inner`SELECT nonsense`;
        });
        await expect(failed).rejects.toThrow('nonsense');
        expect(await tx.savepoint('named', (inner) => [inner`SELECT 1 AS a`, inner`SELECT 2 AS b`])).toEqual([
          [{ a: 1 }],
          [{ b: 2 }],
        ]);
      };
      expect(await store.once(unique(), run)).toBe('handled');
      expect([await written(kept), await written(undone)]).toEqual([true, false]);
    });

    it('runs no file, which would be read on its own time, and opens no stream, which could stay open', async () => {
      const { store } = openPostgresJs();
      const key = unique();
      for (const run of [
        async (tx: TransactionSql) => void (await tx.file('insert.sql')),
        async (tx: TransactionSql) => void (await tx`COPY effects FROM STDIN`.writable()),
        async (tx: TransactionSql) => void (await tx`COPY effects TO STDOUT`.readable()),
      ]) {
        await expect(store.once(key, run)).rejects.toMatchObject(ERR_STORE);
      }
      const json = async (tx: TransactionSql) => {
        expect(await tx`SELECT ${tx.json({ a: 1 })}->'a' AS a`).toEqual([{ a: 1 }]);
      };
      expect(await store.once(key, json)).toBe('handled');
    });

    it('survives that its connection is cut within a savepoint', async () => {
      const cutter = await startCutter(server.port);
      const sql = postgres(server.url.replace(String(server.port), String(cutter.port)), {
        max: 1,
        backoff: () => 0.01,
      });
      onTestFinished(() => sql.end({ timeout: 1 }));
      const store = postgresStore({ pool: sql, transactional: true });
      const [key, id] = [unique(), unique()];
      const run = async (tx: TransactionSql) => {
        await insert(id)(tx);
        await tx.savepoint(async (inner) => {
          cutter.cutAt('SELECT 42', true);
          await inner`SELECT 42`.catch(nothing);
          await inner`SELECT 43`.catch(nothing);
        });
      };
      // At once, and not when the handler's time is up.
      await expect(store.once(key, run)).rejects.toThrow('CONNECTION_CLOSED');
      await eventually(async () => expect(await store.once(key, insert(id))).toBe('handled'));
    });

    it('rejects when an error that nobody saw undid the transaction', async () => {
      const { store } = openPostgresJs();
      const [key, id] = [unique(), unique()];
      const run = async (tx: TransactionSql) => {
        await insert(id)(tx);
        // The error of a cursor goes to its loop alone: postgres.js commits, and Postgres answers ROLLBACK.
        for await (const rows of tx`SELECT 1 / (2 - generate_series(1, 2))`.cursor(1)) expect(rows).toHaveLength(1);
      };
      const swallowing = (tx: TransactionSql) => run(tx).catch(nothing);
      await expect(store.once(key, swallowing)).rejects.toMatchObject(ERR_STORE);
      expect(await written(id)).toBe(false);
      expect(await store.once(key, insert(id))).toBe('handled');
    });

    it('runs no query and no savepoint of a handler after its end, even if it was made before', async () => {
      const { sql, store } = openPostgresJs();
      const id = unique();
      const leaked: { tx: TransactionSql; query: PromiseLike<unknown> }[] = [];
      const run = async (tx: TransactionSql) => {
        leaked.push({ tx, query: tx`INSERT INTO effects VALUES (${id})` });
      };
      expect(await store.once(unique(), run)).toBe('handled');
      await sql.begin(async (other) => {
        await other`SELECT 1`;
        for (const { tx, query } of leaked) {
          await expect(query).rejects.toMatchObject(ERR_STORE);
          await expect(tx`SELECT 1`).rejects.toMatchObject(ERR_STORE);
          await expect(tx.unsafe('SELECT 1')).rejects.toMatchObject(ERR_STORE);
          await expect(tx.savepoint(nothing)).rejects.toMatchObject(ERR_STORE);
        }
      });
      expect(leaked).toHaveLength(1);
      expect(await written(id)).toBe(false);
    });

    it('runs a query of a handler that was made before its end by no other method either', async () => {
      const { store } = openPostgresJs();
      const id = unique();
      const attempts: (() => unknown)[] = [];
      const first: AsyncIterator<unknown>[] = [];
      const run = async (tx: TransactionSql) => {
        const made = () => tx`INSERT INTO effects VALUES (${id}) RETURNING id`;
        const opened = tx`SELECT generate_series(1, 3)`.cursor(1)[Symbol.asyncIterator]();
        await opened.next();
        await opened.return?.();
        first.push(opened, made().cursor()[Symbol.asyncIterator]());
        const [caught, last, executed, each, described, rows] = [made(), made(), made(), made(), made(), made()];
        attempts.push(
          () => caught.catch((error) => Promise.reject(error)),
          () => last.finally(nothing),
          () => executed.execute(),
          () => each.forEach(nothing),
          () => described.describe(),
          () => rows.values(),
          () => Promise.all([made().simple()]),
          () => made().cursor(1, nothing),
        );
      };
      expect(await store.once(unique(), run)).toBe('handled');
      for (const iterator of first) await expect(iterator.next()).rejects.toMatchObject(ERR_STORE);
      for (const attempt of attempts) {
        await expect((async () => await attempt())()).rejects.toMatchObject(ERR_STORE);
      }
      expect(attempts).toHaveLength(8);
      expect(await written(id)).toBe(false);
    });

    it('runs a query once, when it is first waited for, with what the methods of a query set', async () => {
      const { store } = openPostgresJs();
      const [once, never] = [unique(), unique()];
      const run = async (tx: TransactionSql) => {
        void tx`INSERT INTO effects VALUES (${never})`;
        const query = tx`INSERT INTO effects VALUES (${once}) RETURNING id`;
        expect(await Promise.all([query, query.execute(), query])).toEqual([
          [{ id: once }],
          [{ id: once }],
          [{ id: once }],
        ]);
        expect(await tx`SELECT 1 AS a`.values()).toEqual([[1]]);
        expect((await tx`SELECT ${1}::int AS a`.describe()).columns[0]?.name).toBe('a');
        expect(await tx`SELECT 1 AS a; SELECT 2 AS a`.simple()).toEqual([[{ a: 1 }], [{ a: 2 }]]);
        const rows: unknown[] = [];
        await tx`SELECT generate_series(1, 2) AS n`.forEach((row) => void rows.push(row));
        await tx.unsafe('SELECT generate_series(3, 4) AS n').cursor(1, (each) => void rows.push(...each));
        expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
        for await (const [row] of tx`SELECT generate_series(1, 3) AS n`.cursor(1)) if (row?.n === 2) break;
        const conditions = [tx`id = ${once}`, tx`OR id = ${never}`];
        expect(await tx`SELECT id FROM effects WHERE ${conditions}`).toEqual([{ id: once }]);
      };
      expect(await store.once(unique(), run)).toBe('handled');
      expect([await written(once), await written(never)]).toEqual([true, false]);
    });

    it('gives a query that runs already what is set on it in the same turn', async () => {
      const { store } = openPostgresJs();
      const run = async (tx: TransactionSql) => {
        const rows: unknown[] = [];
        const [executed, caught] = [tx`SELECT 1 AS n`.execute(), tx`SELECT 2 AS n`];
        caught.catch(nothing);
        await Promise.all([executed, caught].map((query) => query.forEach((row) => void rows.push(row))));
        expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
        expect(() => Reflect.apply(Reflect.get(tx`SELECT 1`, 'stream'), undefined, [])).toThrow('.forEach');
      };
      expect(await store.once(unique(), run)).toBe('handled');
    });

    it('does not end the process with the error of a query that nobody waits for', async () => {
      const { store } = openPostgresJs();
      const leaked: { execute(): unknown }[] = [];
      const run = async (tx: TransactionSql) => void leaked.push(tx`SELECT 1`, tx.unsafe('COMMIT').execute());
      expect(await store.once(unique(), run)).toBe('handled');
      for (const query of leaked) query.execute();
      const failing = async (tx: TransactionSql) => void tx`SELECT nonsense`.execute();
      await expect(store.once(unique(), failing)).rejects.toMatchObject(ERR_STORE);
    });

    it('refuses prepare()', async () => {
      const { store } = openPostgresJs();
      await expect(store.once(unique(), async (tx) => void tx.prepare('later'))).rejects.toMatchObject(ERR_STORE);
    });

    it('works where columns are renamed and where nothing may be prepared', async () => {
      for (const options of [{ transform: postgres.pascal }, { transform: postgres.camel }, { prepare: false }]) {
        const { sql, store } = openPostgresJs(options);
        const leased = postgresStore({ pool: sql });
        for (const each of [store, leased]) {
          const key = unique();
          expect(await each.once(key, nothing)).toBe('handled');
          expect(await each.once(key, failing)).toBe('duplicate');
        }
      }
    });
  });
});
