import { describe, expect, it } from 'vitest';
import { WebhookError } from '../../../../src/index.js';
import { eventually, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { startProxy } from '../../../servers/proxy.js';
import { once } from '../../calls.js';
import {
  type ClientSettings,
  countOf,
  type Opened,
  type Run,
  type SqlClient,
  type SqlServer,
  write,
} from '../client.js';

const SLEEP = { postgres: 'pg_sleep(60)', mysql: 'SLEEP(60)', sqlite: undefined };

/** Handlers that time out in a transaction of a client. */
export function describeLateHandlers(client: SqlClient, { open: openClient, server }: SqlServer): void {
  const open = (settings?: ClientSettings) => openClient(client, settings);
  const timeout = () => new WebhookError('ERR_WEBHOOK_HANDLER_TIMEOUT', 'out of time');

  /** A run that times out after `work`, and settles like `end`. */
  function late(
    store: ReturnType<Opened['transactional']>,
    key: string,
    work: (tx: Run) => unknown,
    end: (tx: Run) => Promise<unknown> = nothing,
  ) {
    const settled = deferred();
    const result = once(store, key, async (tx, options) => {
      try {
        await work(tx);
        options?.onTimeout?.(timeout());
        await end(tx);
      } finally {
        settled.resolve();
      }
    });
    return { result, settled: settled.promise };
  }

  describe(`${client.title}, transactional, when a handler times out`, () => {
    it('gives the connection to nobody while the handler can reach it', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional({ timeoutMs: 5000 });
      const [key, early, others] = [unique(), unique(), [unique(), unique(), unique()]];
      const written: string[] = [];
      const { result, settled } = late(store, key, write(early), async (tx) => {
        for (let round = 0; round < 20; round++) {
          const id = unique();
          written.push(id);
          await write(id)(tx).catch(nothing);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
      await expect(result).rejects.toThrow('out of time');
      for (const id of others) expect(await once(store, id, write(id))).toBe('handled');
      await settled;
      const lost = [early, ...written].map((id) => `'${id}'`).join(', ');
      expect(await opened.run(`SELECT id FROM effects WHERE id IN (${lost})`)).toEqual([]);
      for (const id of others) expect(await countOf(opened, id)).toBe(1);
    });

    const slow = SLEEP[client.dialect];
    if (slow)
      it.each([
        ['in a pool of ten', 10, false] as const,
        // Nothing else interrupts the statement than the time limit of the server.
        ...(client.dialect === 'postgres' ? [['in a pool of one, when the lease is over', 1, false] as const] : []),
        ...(client.isClosed ? [['on a network that has gone silent', 10, true] as const] : []),
      ])('settles its statement that is under way, %s', async (_, max, isSilent) => {
        const proxy = await startProxy(server().port);
        const opened = await openClient(client, { max }, proxy.port);
        const store = opened.transactional({ leaseMs: max === 1 ? 600 : 60_000, timeoutMs: 1000 });
        const key = unique();
        let statement: Promise<unknown> = Promise.resolve();
        const begin = (tx: Run) => {
          statement = tx(`INSERT INTO effects SELECT '${key}' FROM (SELECT ${slow}) AS slow`);
          statement.catch(nothing);
          return new Promise((resolve) => setTimeout(resolve, 100));
        };
        const { result, settled } = late(store, key, begin, () => {
          if (isSilent) proxy.goHalfOpen();
          return statement;
        });
        await expect(result).rejects.toThrow('out of time');
        const start = performance.now();
        await settled;
        expect(performance.now() - start).toBeLessThan(5000);
        await expect(statement).rejects.toThrow();
        // In a pool of one, a client may have no connection left to interrupt the statement in the server.
        const next = max > 1 && !isSilent ? key : unique();
        await eventually(async () => expect(await once(store, next, nothing)).toBe('handled'), 5000);
        expect(await countOf(opened, next)).toBe(0);
      });

    it('ends the transaction of a handler that never settles when the lease is over', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional({ leaseMs: 500 });
      const [key, id] = [unique(), unique()];
      const gate = deferred();
      const { result, settled } = late(store, key, write(id), () => gate.promise);
      await expect(result).rejects.toThrow('out of time');
      await eventually(async () => expect(await once(store, key, nothing)).toBe('handled'));
      gate.resolve();
      await settled;
      expect(await countOf(opened, id)).toBe(0);
    });
  });
}
