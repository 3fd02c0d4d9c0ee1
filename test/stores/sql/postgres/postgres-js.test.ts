import postgres, { type TransactionSql } from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebhookError } from '../../../../src/index.js';
import { fromPostgresJs, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, useSqlServer } from '../client.js';
import { openPostgresJs, postgresJsClient } from '../clients/postgres-js.js';

describe.skipIf(!hasPostgres)(`fromPostgresJs and the features of postgres.js${needsPostgres}`, () => {
  const server = useSqlServer('postgres');

  async function open(more: object = {}, port = server.server().port) {
    const opened = await server.open(postgresJsClient);
    const sql = openPostgresJs(server.server().url.replace(`:${server.server().port}/`, `:${port}/`), { max: 1 }, more);
    onTestFinished(() => sql.end({ timeout: 1 }));
    return { opened, sql, store: sqlStore({ db: fromPostgresJs(sql), transactional: true }) };
  }
  const insert = (id: string) => async (tx: TransactionSql) => void (await tx`INSERT INTO effects VALUES (${id})`);

  it('has its helpers, fragments, cursors and savepoints', async () => {
    const { opened, store } = await open();
    const [kept, undone, never] = [unique(), unique(), unique()];
    const run = async (tx: TransactionSql) => {
      void tx`INSERT INTO effects VALUES (${never})`;
      await tx`INSERT INTO ${tx('effects')} ${tx([{ id: kept }])}`;
      expect(await tx`SELECT id FROM effects WHERE ${tx`id = ${kept}`}`).toEqual([{ id: kept }]);
      expect(await tx`SELECT ${tx.json({ a: 1 })}->'a' AS a`).toEqual([{ a: 1 }]);
      expect(await tx`SELECT 1 AS a`.values()).toEqual([[1]]);
      expect(await tx`SELECT 1 AS a; SELECT 2 AS a`.simple()).toEqual([[{ a: 1 }], [{ a: 2 }]]);
      const rows: unknown[] = [];
      await tx`SELECT generate_series(1, 2) AS n`.forEach((row) => void rows.push(row));
      expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
      for await (const each of tx`SELECT generate_series(1, 3) AS n`.cursor(2)) expect(each.length).toBeLessThan(3);
      for await (const [row] of tx`SELECT generate_series(1, 3) AS n`.cursor(1)) if (row?.n === 2) break;
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
    expect(await once(store, unique(), run)).toBe('handled');
    expect([await countOf(opened, kept), await countOf(opened, undone), await countOf(opened, never)]).toEqual([
      1, 0, 0,
    ]);
  });

  it('rejects if an error that nobody saw undid the transaction', async () => {
    const { opened, store } = await open();
    const [key, id] = [unique(), unique()];
    const run = async (tx: TransactionSql) => {
      await insert(id)(tx);
      // The error of a cursor goes to its loop alone.
      for await (const rows of tx`SELECT 1 / (2 - generate_series(1, 2))`.cursor(1)) expect(rows).toHaveLength(1);
    };
    await expect(once(store, key, (tx) => run(tx).catch(nothing))).rejects.toMatchObject(ERR_STORE);
    expect(await countOf(opened, id)).toBe(0);
    expect(await once(store, key, insert(id))).toBe('handled');
  });

  it('runs no query and no savepoint of a handler that was late', async () => {
    const { opened, sql, store } = await open();
    const [id, gate] = [unique(), deferred()];
    const errors: unknown[] = [];
    const late = once(store, unique(), async (tx: TransactionSql, options) => {
      options?.onTimeout?.(new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time'));
      await gate.promise;
      for (const attempt of [() => insert(id)(tx), () => tx.unsafe('SELECT 1'), () => tx.savepoint(insert(id))])
        await Promise.resolve(attempt()).catch((error: unknown) => errors.push(error));
    });
    await expect(late).rejects.toThrow('out of time');
    await sql.begin(async (other) => {
      await other`SELECT 1`;
      gate.resolve();
      await eventually(async () => expect(errors).toHaveLength(3));
    });
    for (const error of errors) expect(error).toMatchObject({ code: 'ERR_WEBHOOK_HANDLER' });
    expect(await countOf(opened, id)).toBe(0);
  });

  it.each([
    ['columns are renamed', { transform: postgres.pascal }],
    ['nothing may be prepared', { prepare: false }],
    ['types are fetched', { fetch_types: true }],
    ['queries are debugged', { debug: () => {} }],
    ['queries are not pipelined', { max_pipeline: 1 }],
  ])('works where %s', async (_, options) => {
    const { sql, store } = await open(options);
    for (const each of [store, sqlStore({ db: fromPostgresJs(sql) })]) {
      const key = unique();
      expect(await once(each, key, nothing)).toBe('handled');
      expect(await once(each, key, failing)).toBe('duplicate');
    }
  });
});
