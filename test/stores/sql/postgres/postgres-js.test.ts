import { once as happening } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import postgres, { type TransactionSql } from 'postgres';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postgresJsSocket } from '../../../../src/stores/sql/from/postgres-js-socket.js';
import { fromPostgresJs, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, ERR_UNKNOWN, useServer } from '../client.js';
import { openPostgresJs, postgresJsClient } from '../clients/postgres-js.js';
import { startCutter } from '../cutter.js';

const url = 'postgres://localhost/nowhere';
const socket = postgresJsSocket({ timeoutMs: 1000 });

describe('fromPostgresJs', () => {
  it('refuses anything but the sql of postgres.js', () => {
    for (const sql of [undefined, null, url, {}, () => {}, { unsafe: nothing }, { begin: nothing }]) {
      expect(() => Reflect.apply(fromPostgresJs, undefined, [sql])).toThrow(
        expect.objectContaining({
          code: 'ERR_WEBHOOK_CONFIG',
          message: expect.stringMatching(/^`sql` must be the sql of/),
        }),
      );
    }
  });

  it('warns once of an sql that waits forever on a connection that no longer answers', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const sql = postgres(url);
    for (let time = 0; time < 2; time++) expect(fromPostgresJs(sql).dialect).toBe('postgres');
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('postgresJsSocket'), {
      code: 'EVENT_WEBHOOK_SQL_TIMEOUT',
    });
    warn.mockClear();
    fromPostgresJs(postgres(url, { max: 1, ...socket }));
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('refuses a socket without a time, and unknown options of it', () => {
    for (const options of [
      undefined,
      {},
      { timeoutMs: 0 },
      { timeoutMs: '1' },
      { timeoutMs: 1, tsl: true },
      { timeoutMs: 1, tls: 'require' },
    ]) {
      expect(() => Reflect.apply(postgresJsSocket, undefined, [options])).toThrow(
        expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }),
      );
    }
  });
});

describe('postgresJsSocket', () => {
  it.each<[string, readonly (string | undefined)[], object, object, RegExp]>([
    ['without TLS', ['N'], { tls: true }, {}, /does not support TLS/],
    ['that adds bytes to its answer', ['SX'], { tls: {} }, {}, /does not support TLS/],
    ['that closes the connection', [], { tls: true }, {}, /closed the connection/],
    ['that only says that it has TLS', ['S', 'garbage'], { tls: true }, {}, /SSL|TLS|EPROTO/],
    ['of a name that has no TLS', ['S', 'garbage'], { tls: {} }, { host: ['localhost'] }, /SSL|TLS|EPROTO/],
    ['that says nothing', [undefined], { tls: true }, {}, /did not answer within 200 ms/],
    ['and the option ssl', ['N'], {}, { ssl: true }, /Pass `tls` to postgresJsSocket/],
  ])('fails with a server %s', async (_, answers, options, target, message) => {
    const left = [...answers];
    const server = createServer((peer) => {
      peer.on('error', nothing).on('data', () => {
        if (left.length === 0) return void peer.destroy();
        const answer = left.shift();
        if (answer !== undefined) peer.write(answer);
      });
    }).listen(0);
    onTestFinished(() => void server.close());
    await happening(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = postgresJsSocket({ timeoutMs: 200, ...options }).socket({
      ...{ host: ['127.0.0.1'], port: [port] },
      ...target,
    });
    await expect(happening(connection as Duplex, 'close')).rejects.toThrow(message);
  });
});

describe.skipIf(!hasPostgres)(`fromPostgresJs and the features of postgres.js${needsPostgres}`, () => {
  const server = useServer('postgres');

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

  it('has no prepare(), no file and no COPY', async () => {
    const { store } = await open();
    const key = unique();
    for (const run of [
      async (tx: TransactionSql) => void (await tx.file('insert.sql')),
      async (tx: TransactionSql) => void tx.prepare('later'),
      async (tx: TransactionSql) => void (await tx`COPY effects FROM STDIN`.writable()),
      async (tx: TransactionSql) => void (await tx`COPY effects TO STDOUT`.readable()),
    ]) {
      await expect(once(store, key, run)).rejects.toMatchObject(ERR_STORE);
    }
    expect(await once(store, key, nothing)).toBe('handled');
  });

  it('rejects at once when its connection is cut within a savepoint', async () => {
    const cutter = await startCutter(server.server().port);
    const { opened, store } = await open({}, cutter.port);
    const [key, id] = [unique(), unique()];
    const run = async (tx: TransactionSql) => {
      await insert(id)(tx);
      await tx.savepoint(async (inner) => {
        cutter.cutAt('SELECT 42', true);
        await inner`SELECT 42`.catch(nothing);
        await inner`SELECT 43`.catch(nothing);
      });
    };
    await expect(once(store, key, run)).rejects.toThrow();
    await eventually(async () => expect(await once(store, key, insert(id))).toBe('handled'));
    expect(await countOf(opened, id)).toBe(1);
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

  it('runs no query and no savepoint of a handler after its end, even if it was made before', async () => {
    const { opened, sql, store } = await open();
    const id = unique();
    const attempts: (() => unknown)[] = [];
    const run = async (tx: TransactionSql) => {
      const made = () => tx`INSERT INTO effects VALUES (${id}) RETURNING id`;
      const [awaited, executed, each, rows, iterated] = [made(), made(), made(), made(), made()];
      attempts.push(
        () => awaited,
        () => executed.execute(),
        () => each.forEach(nothing),
        () => rows.values(),
        () => iterated.cursor()[Symbol.asyncIterator]().next(),
        () => made(),
        () => tx.unsafe('SELECT 1'),
        () => tx.savepoint(nothing),
      );
    };
    expect(await once(store, unique(), run)).toBe('handled');
    await sql.begin(async (other) => {
      await other`SELECT 1`;
      for (const attempt of attempts) await expect((async () => await attempt())()).rejects.toMatchObject(ERR_STORE);
    });
    expect(attempts).toHaveLength(8);
    expect(await countOf(opened, id)).toBe(0);
  });

  it('does not end the process with the error of a query that nobody waits for', async () => {
    const { store } = await open();
    const leaked: { execute(): unknown }[] = [];
    expect(await once(store, unique(), async (tx) => void leaked.push(tx`SELECT 1`))).toBe('handled');
    for (const query of leaked) query.execute();
    const failed = async (tx: TransactionSql) => void tx`SELECT nonsense`.execute();
    await expect(once(store, unique(), failed)).rejects.toMatchObject(ERR_STORE);
    await expect(once(store, unique(), async (tx) => void tx.unsafe('COMMIT').execute())).rejects.toMatchObject(
      ERR_UNKNOWN,
    );
  });

  it('refuses the option `ssl` beside its socket, which would bypass it', async () => {
    const { sql } = await open({ ssl: 'require' });
    await expect(sql`SELECT 1`).rejects.toMatchObject({ ...ERR_STORE, message: expect.stringContaining('`tls`') });
  });

  it('does not fall back to a connection without TLS', async () => {
    const { sql } = await open(postgresJsSocket({ timeoutMs: 1000, tls: true }));
    await expect(sql`SELECT 1`).rejects.toThrow('The Postgres server does not support TLS.');
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
