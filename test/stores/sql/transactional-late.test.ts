import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { deferred, never } from '../../helpers.js';
import { once, type RunUses } from '../calls.js';
import { CHECK, fakeDatabase, resultAfter, storeOver, timeoutMs } from './fake-database.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Until the time of a handler is over. Then the store asks whether it has ended the transaction. */
const BEGUN = ['begin', 'in: INSERT INTO', 'in: SELECT txid_current_if_assigned'];

describe('a transactional store when a handler is late', () => {
  /** A run whose handler times out after `ms` and settles with `end`. */
  function lateRun(store: ReturnType<typeof storeOver>, end: Promise<void> = never(), ms = 0, code = '') {
    let options: RunUses | undefined;
    const timeout = Object.assign(new Error('out of time'), { code });
    const result = once(store, 'a', (_, given) => {
      options = given;
      if (ms === 0) given.onTimeout(timeout);
      else setTimeout(() => given.onTimeout(timeout), ms);
      return end;
    });
    return { result, again: () => options?.onTimeout(new Error('again')) };
  }

  it('closes the transaction to the handler, spoils it, and rolls back, where the session is kept', async () => {
    const close = vi.fn();
    const { db, log } = fakeDatabase({}, { close, keepsSession: true });
    const { result, again } = lateRun(storeOver(db));
    expect(await resultAfter(0, result)).toBe('out of time');
    again();
    await vi.advanceTimersByTimeAsync(200);
    expect(close).toHaveBeenCalled();
    expect(log).toEqual([...BEGUN, 'in: SELECT CAST', 'rollback']);
  });

  it('does not run the handler again, whatever code the timeout has', async () => {
    const { db, log } = fakeDatabase({}, { close: nothing });
    expect(await resultAfter(0, lateRun(storeOver(db), never(), 0, '40001').result)).toBe('out of time');
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(log.filter((each) => each === 'begin')).toHaveLength(1);
  });

  it('spoils a connection to SQLite after any statement of the handler, and undoes that before it rolls back', async () => {
    const on = () => new Promise<object[]>((resolve) => setTimeout(resolve, 200, []));
    const { db, log } = fakeDatabase({ 'query_only = ON': on }, { close: nothing }, 'sqlite');
    const { result } = lateRun(storeOver(db, { table: 'b' }));
    expect(await resultAfter(199, result)).toBe('pending');
    expect(log.at(-1)).toBe('in: PRAGMA query_only = ON');
    expect(await resultAfter(1, result)).toBe('out of time');
    expect(log.slice(-2)).toEqual(['in: PRAGMA query_only = OFF', 'rollback']);
  });

  it('spoils a connection to SQLite before it closes it', async () => {
    const { db, log } = fakeDatabase({}, { close: nothing, destroy: () => {} }, 'sqlite');
    expect(await resultAfter(0, lateRun(storeOver(db, { table: 'b' })).result)).toBe('out of time');
    expect(log.slice(-3)).toEqual(['in: PRAGMA query_only = ON', 'in: PRAGMA query_only = OFF', 'rollback']);
  });

  it('interrupts a statement of the handler that holds that up', async () => {
    const { db, log } = fakeDatabase({ 'SELECT CAST': never }, { close: nothing, keepsSession: true });
    lateRun(storeOver(db));
    await vi.advanceTimersByTimeAsync(99);
    expect(log.at(-1)).toBe('in: SELECT CAST');
    await vi.advanceTimersByTimeAsync(1);
    expect(log.at(-1)).toBe('beside: SELECT pg_cancel_backend');
  });

  it('ends the session, and closes the connection where the client can', async () => {
    const destroy = vi.fn();
    const { db, log } = fakeDatabase({}, { close: nothing, destroy });
    expect(await resultAfter(0, lateRun(storeOver(db)).result)).toBe('out of time');
    expect(destroy).toHaveBeenCalled();
    expect(log).toEqual([...BEGUN, 'in: SELECT pg_terminate_backend', 'rollback']);
  });

  it('keeps the transaction until the handler settles if nothing says that its session has ended', async () => {
    for (const end of [nothing, failing]) {
      const gate = deferred();
      const { db, log } = fakeDatabase({ pg_terminate_backend: never });
      const { result } = lateRun(
        storeOver(db),
        gate.promise.then(() => end()),
      );
      result.catch(nothing);
      await vi.advanceTimersByTimeAsync(10 * timeoutMs);
      expect(log.slice(-2)).toEqual(['in: SELECT pg_terminate_backend', 'beside: SELECT pg_terminate_backend']);
      gate.resolve();
      await vi.advanceTimersByTimeAsync(timeoutMs);
      expect(log).toContain('rollback');
    }
  });

  it('rejects with ERR_WEBHOOK_OUTCOME_UNKNOWN if the handler had ended the transaction, and leaves the key open', async () => {
    const { db, log } = fakeDatabase({ [CHECK]: () => [{ id: '8' }] }, { close: nothing });
    expect(await resultAfter(0, lateRun(storeOver(db)).result)).toContain('The handler ended the transaction');
    expect(log).toContain('beside: INSERT INTO');
    const kept = fakeDatabase({ 'SELECT key AS c0': () => [{ key: 'a' }] });
    expect(await resultAfter(0, lateRun(storeOver(kept.db)).result)).toContain('The handler ended the transaction');
  });

  it('is told nothing after its transaction was committed', async () => {
    let options: RunUses | undefined;
    const { db, log } = fakeDatabase({}, { commit: async () => {} });
    const word = await once(storeOver(db), 'a', async (_, given) => {
      options = given;
    });
    options?.onTimeout(new Error('out of time'));
    await vi.advanceTimersByTimeAsync(0);
    expect(word).toBe('handled');
    expect(log.at(-1)).toBe('commit');
  });
});
