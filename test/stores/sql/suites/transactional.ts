import { describe, expect, it } from 'vitest';
import { eventually, failing, holdKey, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred, event, noting, signed } from '../../../helpers.js';
import { once } from '../../calls.js';
import { type ClientSettings, countOf, ERR_STORE, type Run, type SqlClient, type SqlServer, write } from '../client.js';

/** Key and effect, in a transaction of a client. */
export function describeTransactional(client: SqlClient, { open: openClient }: SqlServer): void {
  const open = (settings?: ClientSettings) => openClient(client, settings);

  describe(`${client.title}, transactional`, () => {
    if (!client.refusesItself)
      it('reports the first statement that the handler did not wait for, under the key of its event', async () => {
        const opened = await open({ max: 1 });
        const [id, lost] = [unique(), unique()];
        const [answered, refused] = [deferred(), deferred<unknown>()];
        const told: unknown[] = [];
        const { receiver } = noting({
          store: opened.transactional() as never,
          async onEvent(_, { tx }) {
            const run = tx as unknown as Run;
            const forgotten = () => Promise.allSettled([write(lost)(run), write(lost)(run)]);
            void answered.promise.then(forgotten).then(refused.resolve);
            await write(id)(run);
          },
          onError: ({ code }, { idempotencyKey }) => told.push([code, idempotencyKey]),
        });
        expect(await receiver.handle(signed([event(id)]))).toMatchObject({ status: 200 });
        answered.resolve();
        const refusal = { status: 'rejected', reason: { code: 'ERR_WEBHOOK_HANDLER' } };
        expect(await refused.promise).toMatchObject([refusal, refusal]);
        expect(told).toEqual([['ERR_WEBHOOK_HANDLER', `event.emitted:${id}`]]);
        expect([await countOf(opened, id), await countOf(opened, lost)]).toEqual([1, 0]);
      });

    it('does not touch the connection of a failed run once the next run has it', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const ids = Array.from({ length: 20 }, unique);
      const run = (id: string, index: number) => async (tx: Run) => {
        await write(id)(tx);
        if (index % 2 === 0) await failing();
        await tx('SELECT 1');
      };
      const results = await Promise.allSettled(ids.map((id, index) => once(store, id, run(id, index))));
      expect(results.map(({ status }) => status)).toEqual(ids.map((_, i) => (i % 2 === 0 ? 'rejected' : 'fulfilled')));
      for (const [index, id] of ids.entries()) expect(await countOf(opened, id)).toBe(index % 2);
    });

    it('runs no statement of a failed handler in the transaction that has the connection next', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const [id, late] = [unique(), unique()];
      const gate = deferred();
      const attempts: Promise<unknown>[] = [];
      const run = async (tx: Run) => {
        await write(id)(tx);
        const attempt = gate.promise.then(() => write(late)(tx));
        attempt.catch(nothing);
        attempts.push(attempt);
        await failing();
      };
      await expect(once(store, unique(), run)).rejects.toThrow('the run failed');
      const next = once(store, unique(), async (tx) => {
        gate.resolve();
        await expect(attempts[0]).rejects.toThrow();
        await write(unique())(tx);
      });
      expect(await next).toBe('handled');
      expect([await countOf(opened, id), await countOf(opened, late)]).toEqual([0, 0]);
    });

    it('never reports as handled what a statement undid that the handler has not awaited', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      for (const text of ['SELECT 1', 'SELECT 1; SELECT 2']) {
        const [key, id] = [unique(), unique()];
        const run = async (tx: Run) => {
          await write(id)(tx);
          // Answered after the handler has returned. What fails then is sent before COMMIT.
          tx(text)
            .then(() => tx('SELECT nonsense'))
            .catch(nothing);
        };
        const word = await once(store, key, run).catch(() => 'failed');
        expect(await once(store, key, nothing)).toBe(word === 'handled' ? 'duplicate' : 'handled');
        expect(await countOf(opened, id)).toBe(word === 'handled' ? 1 : 0);
      }
    });

    // postgres.js rolls back after every error, unless its own savepoint() has it.
    if (!client.hasOwnSavepoints)
      it('lets a handler roll back to a savepoint', async () => {
        const opened = await open();
        const [key, kept, undone] = [unique(), unique(), unique()];
        const run = async (tx: Run) => {
          await tx('SAVEPOINT before_it');
          await write(undone)(tx);
          await tx('SELECT nonsense').catch(nothing);
          await tx('ROLLBACK TO SAVEPOINT before_it');
          await write(kept)(tx);
        };
        expect(await once(opened.transactional(), key, run)).toBe('handled');
        expect([await countOf(opened, kept), await countOf(opened, undone)]).toEqual([1, 0]);
      });

    it('rejects in time if the pool has no free connection, and uses a late one for nothing', async () => {
      const opened = await open({ max: 1 });
      const store = opened.transactional();
      const gate = deferred();
      const { result } = await holdKey(store, unique(), gate.promise);
      const key = unique();
      await expect(once(opened.transactional({ timeoutMs: 150 }), key, failing)).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('within 150 ms (timeoutMs)'),
      });
      gate.resolve();
      expect(await result).toBe('handled');
      expect(await once(store, key, nothing)).toBe('handled');
    });

    // The gaps of MariaDB show its level: see mysql/locks.test.ts.
    if (client.dialect === 'postgres')
      it.each(['repeatable read', 'serializable'] as const)('has the isolation level %s', async (isolationLevel) => {
        const store = (await open()).transactional({ isolationLevel });
        // Divides by zero at another level: clients answer in different forms.
        const check = `SELECT 1 / (current_setting('transaction_isolation') = '${isolationLevel}')::int`;
        expect(await once(store, unique(), (tx: Run) => tx(check).then(nothing))).toBe('handled');
      });

    it('shares its table with lease stores', async () => {
      const opened = await open();
      const [transactional, leased] = [opened.transactional(), opened.lease({ leaseMs: 60_000 })];
      const [key, expiring, crashed] = [unique(), unique(), unique()];
      const gate = deferred();
      const { result } = await holdKey(leased, key, gate.promise);
      expect(await once(transactional, key, failing)).toBe('in-progress');
      gate.resolve();
      await result;
      expect(await once(transactional, key, failing)).toBe('duplicate');

      await once(transactional, expiring, nothing);
      expect(await once(leased, expiring, failing)).toBe('duplicate');

      const never = deferred();
      await holdKey(opened.lease({ leaseMs: 400 }), crashed, never.promise);
      await eventually(async () => expect(await once(transactional, crashed, nothing)).toBe('handled'));
    });
  });
}
