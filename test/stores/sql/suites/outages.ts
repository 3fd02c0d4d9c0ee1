import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { startProxy } from '../../../servers/proxy.js';
import { once } from '../../calls.js';
import { countOf, ERR_STORE, type Run, type SqlClient, type SqlServer, write } from '../client.js';

const UNKNOWN = { ...ERR_STORE, message: expect.stringContaining('unknown whether the transaction was committed') };
const TERMINATE = {
  postgres: (id: string) =>
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%${id}%'`,
  mysql: undefined,
  sqlite: undefined,
};

/** Connections of a client that are lost, or that never answer. */
export function describeOutages(client: SqlClient, { open: openClient, server }: SqlServer): void {
  if (client.crashes) return;
  const open = (port?: number, max = 2) => openClient(client, { max }, port);

  describe(`${client.title}, transactional, when a connection is lost`, { timeout: 20_000 }, () => {
    it.each([true, false])('has one effect if the answer to COMMIT is lost (COMMIT arrived: %s)', async (arrived) => {
      const [proxy, direct] = [await startProxy(server().port), await open()];
      const store = (await open(proxy.port)).transactional();
      const [key, id] = [unique(), unique()];
      proxy.cutAt(client.dialect === 'mysql' ? 'SET autocommit = IF' : 'COMMIT', arrived);
      await expect(once(store, key, write(id))).rejects.toMatchObject(UNKNOWN);
      const results: string[] = [];
      await eventually(async () => {
        results.push(await once(store, key, write(id)));
        expect(results.at(-1)).toBe('duplicate');
      });
      expect(results.includes('handled')).toBe(!arrived);
      expect(await countOf(direct, id)).toBe(1);
    });

    it.each([...(client.losesAtBegin ? [] : [client.begin ?? 'BEGIN']), 'INSERT'])(
      'does not run if the connection is cut at %s',
      async (text) => {
        const proxy = await startProxy(server().port);
        const store = (await open(proxy.port)).transactional();
        const key = unique();
        await once(store, unique(), nothing);
        for (const arrived of [true, false]) {
          proxy.cutAt(text, arrived);
          await expect(once(store, key, failing)).rejects.not.toThrow('the run failed');
        }
        await eventually(async () => expect(await once(store, key, nothing)).toBe('handled'));
      },
    );

    it('rejects if a handler continues after its connection was cut, and runs none of its statements elsewhere', async () => {
      const [proxy, direct] = [await startProxy(server().port), await open()];
      const opened = await open(proxy.port);
      const store = opened.transactional();
      const [key, id] = [unique(), unique()];
      const run = async (tx: Run) => {
        await write(id)(tx);
        proxy.cutAt('SELECT 42', true);
        await tx('SELECT 42').catch(nothing);
        // At once, and when the pool has connected again.
        await write(id)(tx).catch(nothing);
        await opened.run('SELECT 1').catch(nothing);
        await eventually(() => opened.run('SELECT 1'));
        await write(id)(tx).catch(nothing);
      };
      await expect(once(store, key, run)).rejects.toThrow();
      expect(await countOf(direct, id)).toBe(0);
      await eventually(async () => expect(await once(store, key, write(id))).toBe('handled'));
      expect(await countOf(direct, id)).toBe(1);
    });

    const terminate = TERMINATE[client.dialect];
    if (terminate)
      it('survives a server that ends the connection between statements', async () => {
        const [opened, direct] = [await open(), await open()];
        const store = opened.transactional();
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          await direct.run(terminate?.(id) ?? '');
          await eventually(() => opened.run('SELECT 1'));
        };
        await expect(once(store, key, run)).rejects.toThrow();
        expect(await countOf(direct, id)).toBe(0);
        await eventually(async () => expect(await once(store, key, write(id))).toBe('handled'));
      });

    if (client.dialect === 'postgres')
      it('survives a server that ends connections as soon as they are ready', async () => {
        const proxy = await startProxy(server().port);
        const store = (await open(proxy.port, 6)).transactional();
        proxy.endWhenReady(true);
        await Promise.allSettled(Array.from({ length: 12 }, () => once(store, unique(), nothing)));
        proxy.endWhenReady(false);
        await eventually(async () => expect(await once(store, unique(), nothing)).toBe('handled'));
      });

    it('passes on what a handler threw when the connection is cut at ROLLBACK', async () => {
      const [proxy, direct] = [await startProxy(server().port), await open()];
      const store = (await open(proxy.port)).transactional();
      for (const arrived of [true, false]) {
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          proxy.cutAt('ROLLBACK', arrived);
          await failing();
        };
        await expect(once(store, key, run)).rejects.toThrow('the run failed');
        await eventually(async () => expect(await once(store, key, write(id))).toBe('handled'));
        expect(await countOf(direct, id)).toBe(1);
      }
    });

    // Its driver was tested for what follows.
    if (client.connectsByDriver) return;
    it.each([
      // It may not know whether the handler has ended the transaction.
      ['ROLLBACK', failing, { message: 'the run failed' }],
      ['COMMIT', nothing, ERR_STORE],
    ])(
      'rejects in time if the server does not answer %s, and a redelivery resolves the outcome',
      async (_, end, thrown) => {
        const [opened, direct] = [await open(), await open()];
        // Connecting may take longer than the limit below.
        await once(opened.transactional(), unique(), nothing);
        const store = opened.transactional({ timeoutMs: 300 });
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          server().pause();
          await end();
        };
        const error = await once(store, key, run)
          .catch((each: Error) => each)
          .finally(() => server().resume());
        expect([error, Object(error).cause]).toContainEqual(expect.objectContaining(thrown));
        await eventually(async () => expect(['handled', 'duplicate']).toContain(await once(store, key, write(id))));
        expect(await countOf(direct, id)).toBe(1);
      },
    );
  });

  if (client.connectsByDriver || client.keepsSilent) return;
  describe(`${client.title}, behind a proxy that takes bytes and never answers`, { timeout: 30_000 }, () => {
    const timeoutMs = 500;
    /** Of two deadlines, or the second that clients take to connect. */
    const RECOVERED_MS = 2500;
    async function openBehindProxy(kind: 'lease' | 'transactional') {
      const proxy = await startProxy(server().port);
      const opened = await open(proxy.port);
      const store = opened[kind]({ timeoutMs });
      await Promise.all([unique(), unique()].map((key) => once(store, key, nothing)));
      return { proxy, store };
    }

    it.each(['lease', 'transactional'] as const)('recovers within two deadlines, %s', async (kind) => {
      const { proxy, store } = await openBehindProxy(kind);
      proxy.goHalfOpen();
      const start = performance.now();
      const tries = await Promise.allSettled([unique(), unique()].map((key) => once(store, key, nothing)));
      expect(tries.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      await eventually(async () => expect(await once(store, unique(), nothing)).toBe('handled'));
      expect(performance.now() - start).toBeLessThan(RECOVERED_MS);
    });

    it.each([
      ['swallowNew', 'lease'],
      ['hangConnects', 'transactional'],
    ] as const)('recovers from attempts to connect that hang: %s, %s', async (way, kind) => {
      const { proxy, store } = await openBehindProxy(kind);
      await proxy[way]();
      proxy.goHalfOpen();
      for (let round = 0; round < 3; round++) {
        const tries = await Promise.allSettled([unique(), unique()].map((key) => once(store, key, nothing)));
        expect(tries.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      }
      await proxy.heal();
      const start = performance.now();
      await eventually(async () => expect(await once(store, unique(), nothing)).toBe('handled'));
      expect(performance.now() - start).toBeLessThan(RECOVERED_MS);
    });
  });
}
