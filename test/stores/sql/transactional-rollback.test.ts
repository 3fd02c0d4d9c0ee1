import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqlDatabase } from '../../../src/stores/sql/index.js';
import { postgresStatements } from '../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { transactionalStore } from '../../../src/stores/sql/transactional.js';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { deferred, never } from '../../helpers.js';
import { once } from '../calls.js';
import { CHECK, FINISH, fakeDatabase, resultAfter, storeOver, timeoutMs } from './fake-database.js';

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
    ['a handler', undefined, failing, 'the run failed'],
    ['a handler that rejects with nothing', undefined, speechless, 'did not roll back within 1000 ms (timeoutMs).'],
  ])('waits timeoutMs for the client after %s failed, and says why', async (_, claim, work, message) => {
    const { db } = fakeDatabase(claim && { INSERT: claim });
    const taking = once(storeOver(stuck(db)), 'a', work);
    expect(await resultAfter(timeoutMs - 1, taking)).toBe('pending');
    expect(await resultAfter(1, taking)).toContain(message);
  });

  it('closes a connection once, although the rollback on it is not answered either', async () => {
    const gate = deferred();
    const destroy = vi.fn();
    const { db } = fakeDatabase({ INSERT: () => gate.promise.then(() => []) }, { destroy });
    await resultAfter(timeoutMs, once(storeOver(stuck(db)), 'a', nothing));
    expect(destroy).toHaveBeenCalledTimes(1);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(2 * timeoutMs);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('waits timeoutMs for the check of a failed handler', async () => {
    const taking = once(storeOver(fakeDatabase({ [CHECK]: never }).db), 'a', speechless);
    expect(await resultAfter(timeoutMs - 1, taking)).toBe('pending');
    expect(await resultAfter(1, taking)).toBe('The database did not answer within 1000 ms (timeoutMs).');
  });

  it.each([
    ['that its transaction was aborted', rejecting('25P02'), () => [], 'the run failed'],
    ['that the connection is gone', rejecting('08006'), () => [], 'the run failed'],
    [
      'that the connection is gone',
      rejecting('08006'),
      () => [{ key: 'a' }],
      expect.stringContaining('The handler ended'),
    ],
    ['that the connection is gone', rejecting('08006'), rejecting('08006'), expect.stringContaining('did not confirm')],
    ['that the connection is gone', rejecting('08006'), never, expect.stringContaining('did not confirm')],
  ])('rejects as the handler did only if nothing was kept: the check says %s', async (_, check, look, message) => {
    const { db, log } = fakeDatabase({ [CHECK]: check, 'SELECT key AS c0': look });
    expect(await resultAfter(timeoutMs, once(storeOver(db), 'a', failing))).toEqual(message);
    expect(log.at(-1)).toBe('beside: SELECT key');
  });

  it('leaves the key open of a handler that ended the transaction', async () => {
    const { db, log } = fakeDatabase({ [CHECK]: () => [{ id: '8' }] });
    expect(await resultAfter(0, once(storeOver(db), 'a', failing))).toContain('The handler ended');
    expect(log.slice(-2)).toEqual(['rollback', 'beside: INSERT INTO']);
  });

  it('asks no more than the check of a handler that can no longer reach the transaction', async () => {
    const { db, log } = fakeDatabase({}, { close() {} });
    expect(await resultAfter(0, once(storeOver(db), 'a', failing))).toBe('the run failed');
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'in: SELECT txid_current_if_assigned', 'rollback']);
  });

  it('rejects with its own error if the check of a handler that returned fails, unless something was kept', async () => {
    const isKept = expect.stringContaining('The handler ended');
    for (const [look, message] of [
      [() => [], 'code 08006'],
      [rejecting('08006'), 'code 08006'],
      [() => [{ key: 'a' }], isKept],
    ] as const) {
      const { db } = fakeDatabase({ [FINISH]: rejecting('08006'), 'SELECT key AS c0': look });
      expect(await resultAfter(timeoutMs, once(storeOver(db), 'a', nothing))).toEqual(message);
    }
  });

  it('still says that it is unknown if the keys cannot be left open', async () => {
    const { db } = fakeDatabase({ [CHECK]: () => [{ id: '8' }] });
    expect(await resultAfter(timeoutMs, once(storeOver({ ...db, run: never }), 'a', failing))).toContain(
      'The handler ended',
    );
  });

  it('undoes what it changed on the connection, whether or not the client can close it', async () => {
    for (const members of [{}, { destroy: () => {} }]) {
      const { db, log } = fakeDatabase({}, members, 'sqlite');
      expect(await resultAfter(0, once(storeOver(db, { table: 'b' }), 'a', failing))).toBe('the run failed');
      expect(log.slice(-3)).toEqual(['in: PRAGMA query_only = OFF', 'rollback', 'beside: SELECT key']);
    }
  });

  it('ends a connection in the server that could not be left as it was', async () => {
    const { db, log } = fakeDatabase();
    const options = { leaseMs: 60_000, retentionMs: 60_000, timeoutMs };
    const statements = postgresStatements(tableOf('a.b', 'postgres'), options);
    const transaction = { ...statements.transaction, undo: failing };
    const store = transactionalStore(db, { ...statements, transaction }, options);
    expect(await resultAfter(0, once(store, 'a', failing))).toBe('the run failed');
    expect(log.slice(-3)).toEqual(['beside: SELECT pg_terminate_backend', 'rollback', 'beside: SELECT key']);
  });
});
