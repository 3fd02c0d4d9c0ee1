import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqlDatabase } from '../../../src/stores/sql/index.js';
import { postgresStatements } from '../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { transactionalStore } from '../../../src/stores/sql/transactional.js';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { CHECK, fakeDatabase, resultAfter, storeOver, timeoutMs } from './fake-database.js';

const never = () => new Promise<never>(() => {});
const rejecting = (code: string) => () => Promise.reject(Object.assign(new Error(`code ${code}`), { code }));
/** A handler may reject with nothing at all. */
const speechless = () => Promise.reject(undefined);
/** A client that does not answer a rollback. */
const stuck = (db: SqlDatabase<string>): typeof db => ({
  ...db,
  transaction: (work, options) => db.transaction(work, options).catch(never),
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a transactional store that rolls back', () => {
  it.each([
    ['its claim', rejecting('42501'), nothing, 'code 42501'],
    ['a handler that rejects with nothing', undefined, speechless, 'did not roll back within 1000 ms (timeoutMs).'],
  ])('waits timeoutMs for the client after %s failed, and says why', async (_, claim, work, message) => {
    const { db } = fakeDatabase(claim && { INSERT: claim });
    const taking = storeOver(stuck(db)).once('a', work);
    expect(await resultAfter(timeoutMs - 1, taking)).toBe('pending');
    expect(await resultAfter(1, taking)).toContain(message);
  });

  it('closes a connection once, although the rollback on it is not answered either', async () => {
    const gate = deferred();
    const destroy = vi.fn();
    const { db } = fakeDatabase({ INSERT: () => gate.promise.then(() => []) }, { destroy });
    await resultAfter(timeoutMs, storeOver(stuck(db)).once('a', nothing));
    expect(destroy).toHaveBeenCalledTimes(1);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(2 * timeoutMs);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('waits timeoutMs for the check of a failed handler', async () => {
    const taking = storeOver(fakeDatabase({ [CHECK]: never }).db).once('a', speechless);
    expect(await resultAfter(timeoutMs - 1, taking)).toBe('pending');
    expect(await resultAfter(1, taking)).toBe('The database did not answer within 1000 ms (timeoutMs).');
  });

  it.each([
    ['that its transaction was aborted', rejecting('25P02'), 'the run failed'],
    ['that the connection is gone', rejecting('08006'), 'the run failed'],
    ['that the handler ended the transaction', () => [{ id: '8' }], expect.stringContaining('The handler ended')],
  ])('rejects as the handler did, unless it ended the transaction: the check says %s', async (_, check, message) => {
    const taking = storeOver(fakeDatabase({ [CHECK]: check }).db).once('a', failing);
    expect(await resultAfter(0, taking)).toEqual(message);
  });

  it('undoes what it changed on the connection, whether or not the client can close it', async () => {
    for (const members of [{}, { destroy: () => {} }]) {
      const { db, log } = fakeDatabase({}, members, 'sqlite');
      expect(await resultAfter(0, storeOver(db, { table: 'b' }).once('a', failing))).toBe('the run failed');
      expect(log.slice(-2)).toEqual(['in: PRAGMA query_only = OFF', 'rollback']);
    }
  });

  it('ends a connection in the server that could not be left as it was', async () => {
    const { db, log } = fakeDatabase();
    const options = { leaseMs: 60_000, retentionMs: 60_000, timeoutMs };
    const statements = postgresStatements(tableOf('a.b', 'postgres'), options);
    const transaction = { ...statements.transaction, undo: failing };
    const store = transactionalStore(db, { ...statements, transaction }, options);
    expect(await resultAfter(0, store.once('a', failing))).toBe('the run failed');
    expect(log.slice(-2)).toEqual(['beside: SELECT pg_terminate_backend', 'rollback']);
  });
});
