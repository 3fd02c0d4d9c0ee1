import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunOptions } from '../../../src/index.js';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { fakeDatabase, resultAfter, storeOver, timeoutMs } from './fake-database.js';

const never = () => new Promise<never>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a transactional store when a handler is late', () => {
  /** A run whose handler times out at once and settles with `end`. */
  function lateRun(store: ReturnType<typeof storeOver>, end: Promise<void> = never()) {
    let options: RunOptions | undefined;
    const result = store.once('a', (_, given) => {
      options = given;
      given?.onTimeout?.(new Error('out of time'));
      return end;
    });
    return { result, again: () => options?.onTimeout?.(new Error('again')) };
  }

  it('closes the transaction to the handler, spoils it, and rolls back', async () => {
    const close = vi.fn();
    const { db, log } = fakeDatabase({}, { close });
    const { result, again } = lateRun(storeOver(db));
    expect(await resultAfter(0, result)).toBe('out of time');
    again();
    await vi.advanceTimersByTimeAsync(200);
    expect(close).toHaveBeenCalled();
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'in: SELECT CAST', 'rollback']);
  });

  it('interrupts a statement of the handler that holds that up', async () => {
    const { db, log } = fakeDatabase({ 'SELECT CAST': never }, { close: nothing });
    expect(await resultAfter(99, lateRun(storeOver(db)).result)).toBe('out of time');
    expect(log.at(-1)).toBe('in: SELECT CAST');
    await vi.advanceTimersByTimeAsync(1);
    expect(log.at(-1)).toBe('beside: SELECT pg_cancel_backend');
  });

  it('ends the connection where the client can, and in the server', async () => {
    const destroy = vi.fn();
    const { db, log } = fakeDatabase({}, { close: nothing, destroy });
    expect(await resultAfter(0, lateRun(storeOver(db)).result)).toBe('out of time');
    expect(destroy).toHaveBeenCalled();
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'beside: SELECT pg_terminate_backend', 'rollback']);
  });

  it('ends the connection in the server once the lease is over if the handler can still reach it', async () => {
    const { db, log } = fakeDatabase();
    expect(await resultAfter(0, lateRun(storeOver(db, { leaseMs: 5000 })).result)).toBe('out of time');
    await vi.advanceTimersByTimeAsync(4999);
    expect(log.at(-1)).toBe('in: SELECT CAST');
    await vi.advanceTimersByTimeAsync(1);
    expect(log.slice(-2)).toEqual(['beside: SELECT pg_terminate_backend', 'rollback']);
  });

  it('leaves the connection to the pool if the handler settles before', async () => {
    for (const end of [nothing, failing]) {
      const gate = deferred();
      const { db, log } = fakeDatabase();
      const { result } = lateRun(
        storeOver(db),
        gate.promise.then(() => end()),
      );
      expect(await resultAfter(0, result)).toBe('out of time');
      expect(log.at(-1)).toBe('in: SELECT CAST');
      gate.resolve();
      await vi.advanceTimersByTimeAsync(0);
      expect(log.at(-1)).toBe('rollback');
      expect(log.join()).not.toContain('terminate');
    }
  });

  it('rolls back although the server cannot be asked to end the connection', async () => {
    for (const answer of [failing, never]) {
      const { db, log } = fakeDatabase({ pg_terminate_backend: answer as () => Promise<never> });
      expect(await resultAfter(0, lateRun(storeOver(db, { leaseMs: 5000 })).result)).toBe('out of time');
      await vi.advanceTimersByTimeAsync(5000 + timeoutMs);
      expect(log.at(-1)).toBe('rollback');
    }
  });

  it('is told nothing after its transaction was committed', async () => {
    let options: RunOptions | undefined;
    const { db, log } = fakeDatabase();
    const word = await storeOver(db).once('a', async (_, given) => {
      options = given;
    });
    options?.onTimeout?.(new Error('out of time'));
    await vi.advanceTimersByTimeAsync(0);
    expect(word).toBe('handled');
    expect(log.at(-1)).toBe('commit');
  });
});
