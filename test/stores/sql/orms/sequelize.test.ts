import { once as emitted } from 'node:events';
import { type AddressInfo, createServer, connect as dial } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { useServer } from '../client.js';
import { pgClient } from '../clients/pg.js';
import { hasOrms, importOrms, needsOrms } from './installed.js';

interface Transaction {
  afterCommit(hook: (tx: Transaction) => void): void;
  rollback(): Promise<void>;
}
interface Opened {
  readonly store: SqlStore<Transaction>;
  run(text: string, tx?: Transaction): Promise<[{ n?: number }[], unknown]>;
  nested(tx: Transaction): Promise<Transaction>;
  close(): Promise<void>;
}
interface Module {
  openSequelize(url: string, settings?: { max?: number; retry?: object | undefined }): Opened;
  withCls(work: () => Promise<void>): Promise<void>;
}

const { openSequelize, withCls } = hasOrms ? await importOrms<Module>('sequelize') : ({} as Module);
const insert = (id: string) => `INSERT INTO effects VALUES ('${id}')`;

describe.skipIf(!hasPostgres || !hasOrms)(`fromSequelize over Postgres${needsPostgres}${needsOrms}`, () => {
  const sql = useServer('postgres');

  async function open(settings?: Parameters<Module['openSequelize']>[1]) {
    const direct = await sql.open(pgClient);
    const opened = openSequelize(sql.server().url, settings);
    onTestFinished(() => opened.close());
    const count = async (id: string) => (await direct.run(`SELECT id FROM effects WHERE id = '${id}'`)).length;
    return { ...opened, direct, count };
  }

  it('runs no statement of a transaction that the handler left open in the transaction that has the connection next', async () => {
    const { store, run, nested, count } = await open();
    const [id, late] = [unique(), unique()];
    let left: Transaction | undefined;
    let tx: Transaction | undefined;
    const first = await once(store, unique(), async (own) => {
      tx = own;
      left = await nested(own);
      await run(insert(id), left);
    });
    expect(first).toBe('handled');
    const next = await once(store, unique(), async (own) => {
      await expect(run(insert(late), left)).rejects.toThrow();
      await expect(run(insert(late), tx)).rejects.toThrow('you can no longer use it');
      await expect(left?.rollback()).rejects.toThrow();
      await expect(nested(tx as Transaction)).rejects.toThrow();
      await run(insert(id), own);
    });
    expect(next).toBe('handled');
    expect([await count(id), await count(late)]).toEqual([2, 0]);
  });

  it('runs what a handler wants to be done after the commit then, and only then', async () => {
    const { store, run } = await open();
    const key = unique();
    const done: string[] = [];
    const failed = once(store, key, async (tx) => {
      tx.afterCommit(() => done.push('failed'));
      await failing();
    });
    await expect(failed).rejects.toThrow('the run failed');
    await once(store, key, async (tx) => {
      tx.afterCommit((own: unknown) => done.push(own === tx ? 'committed' : 'committed, with another'));
      await run('SELECT 1', tx);
      expect(done).toEqual([]);
    });
    expect(done).toEqual(['committed']);
  });

  it('takes statements without the option into the transaction after useCLS', async () => {
    const { store, run, count } = await open();
    const [kept, lost, key] = [unique(), unique(), unique()];
    await withCls(async () => {
      const failed = once(store, key, async () => {
        await run(insert(lost));
        await failing();
      });
      await expect(failed).rejects.toThrow('the run failed');
      expect(await once(store, key, async () => void (await run(insert(kept))))).toBe('handled');
    });
    expect([await count(kept), await count(lost)]).toEqual([1, 0]);
  });

  /** Two handlers that deadlock, once. */
  async function deadlock(retry: object) {
    const { store, run, nested, direct } = await open({ max: 2, retry });
    await direct.run('CREATE TABLE IF NOT EXISTS counters (id int PRIMARY KEY, n int NOT NULL)');
    await direct.run('DELETE FROM counters');
    await direct.run('INSERT INTO counters VALUES (1, 0), (2, 0)');
    const add = (id: number, tx: Transaction) => run(`UPDATE counters SET n = n + 1 WHERE id = ${id}`, tx);
    const [one, two] = [deferred(), deferred()];
    let runs = 0;
    const deliver = (key: string, ids: [number, number], mine: typeof one, other: typeof one) => () =>
      once(store, key, async (tx) => {
        runs++;
        await add(ids[0], tx);
        mine.resolve();
        await other.promise;
        await add(ids[1], await nested(tx));
      });
    const deliveries = [deliver(unique(), [1, 2], one, two), deliver(unique(), [2, 1], two, one)];
    const results = await Promise.allSettled(deliveries.map((each) => each()));
    const counts = () => direct.run('SELECT n FROM counters ORDER BY id');
    return { results, deliveries, counts, runs: () => runs };
  }

  it('commits nothing of a handler whose statements Sequelize repeats after a deadlock, so that a redelivery resolves it', async () => {
    const { results, deliveries, counts } = await deadlock({ max: 3, match: [/deadlock/i] });
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await counts()).toEqual([{ n: 1 }, { n: 1 }]);
    const words = await Promise.all(deliveries.map((each) => each()));
    expect(words.sort()).toEqual(['duplicate', 'handled']);
    expect(await counts()).toEqual([{ n: 2 }, { n: 2 }]);
  });

  it('recovers when the server stops answering while Sequelize sets up a connection', { timeout: 20_000 }, async () => {
    await sql.open(pgClient);
    const { url, port } = sql.server();
    let isHalfOpen = true;
    const proxyPort = await startProxy(port, () => isHalfOpen);
    const { store, close } = openSequelize(url.replace(`:${port}/`, `:${proxyPort}/`));
    onTestFinished(close);
    await expect(once(store, unique(), nothing)).rejects.toThrow();
    isHalfOpen = false;
    await eventually(async () => expect(await once(store, unique(), nothing)).toBe('handled'));
  });
});

/** A proxy that forwards the start of a connection, and while `isHalfOpen` no statement. */
async function startProxy(port: number, isHalfOpen: () => boolean): Promise<number> {
  const proxy = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', nothing);
    client.on('close', () => upstream.destroy());
    // Q, a simple query.
    client.on('data', (data) => {
      if (!(data[0] === 0x51 && isHalfOpen())) upstream.write(data);
    });
    upstream.pipe(client);
  }).listen(0, '127.0.0.1');
  await emitted(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}
