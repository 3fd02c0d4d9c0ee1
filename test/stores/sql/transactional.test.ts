import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqlDatabase } from '../../../src/stores/sql/index.js';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { deferred, never } from '../../helpers.js';
import { once, onceEach } from '../calls.js';
import { type Answers, FINISH, fakeDatabase, resultAfter, storeOver, timeoutMs } from './fake-database.js';

const withCode = (code: string) => Object.assign(new Error(`code ${code}`), { code });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const late = (what: string) => `The database ${what} within 1000 ms (timeoutMs).`;

describe('a transactional store', () => {
  it('claims, checks and commits in one transaction', async () => {
    const { db, log } = fakeDatabase();
    const store = storeOver(db, { leaseMs: 5000 });
    expect(store.leaseMs).toBe(5000);
    expect(await once(store, 'a', nothing)).toBe('handled');
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'in: DO', 'commit', 'beside: SELECT key']);
  });

  it('asks about the keys that it could not claim, and those that the database does not answer for are in progress', async () => {
    const answers: Answers = { INSERT: () => [], 'SELECT key': () => [{ key: 'b', word: 'duplicate' }] };
    const store = storeOver(fakeDatabase(answers).db);
    expect(await onceEach(store, ['b', 'a'], failing)).toEqual(['duplicate', 'in-progress']);
    expect(await once(store, 'a', failing)).toBe('in-progress');
  });

  it('claims its keys in their order, whatever the order of the delivery', async () => {
    const statements: string[] = [];
    const { db } = fakeDatabase();
    const spied: typeof db = {
      ...db,
      transaction: (work, options) =>
        db.transaction((transaction) => {
          const run = (text: string) => {
            statements.push(text);
            return transaction.run(text);
          };
          return work({ ...transaction, run });
        }, options),
    };
    await onceEach(storeOver(spied), ['c', 'a', 'b'], nothing);
    expect(statements[0]?.match(/\('\w'/g)).toEqual(["('a'", "('b'", "('c'"]);
  });

  it.each([
    ['the schema', { to_regclass: never }, { table: 'b' }, late('did not answer')],
    ['the claim', { INSERT: never }, {}, late('did not answer')],
    ['the check', { [FINISH]: never }, {}, late('did not answer')],
  ])('rejects if %s is not answered in time', async (_, answers, settings, message) => {
    const destroy = vi.fn();
    const { db, log } = fakeDatabase(answers, { destroy });
    const taking = once(storeOver(db, settings), 'a', nothing);
    expect(await resultAfter(timeoutMs - 1, taking)).toBe('pending');
    expect(await resultAfter(1, taking)).toBe(message);
    expect(destroy).toHaveBeenCalledTimes(log.includes('begin') ? 1 : 0);
  });

  it('rejects if the client opens no transaction in time, and then uses none that it opens', async () => {
    const gate = deferred();
    const { db, log } = fakeDatabase();
    let ended: Promise<void> | undefined;
    const slow: typeof db = {
      ...db,
      transaction(work, options) {
        ended = gate.promise.then(() => db.transaction(work, options));
        return ended;
      },
    };
    const handler = vi.fn(nothing);
    expect(await resultAfter(timeoutMs, once(storeOver(slow), 'a', handler))).toBe(late('opened no transaction'));
    gate.resolve();
    await expect(ended).rejects.toThrow(
      'The transaction of this event was rolled back because it exceeded its time limit.',
    );
    expect(log).toEqual(['begin', 'rollback']);
    expect(handler).not.toHaveBeenCalled();
  });

  it('does not run the handler if the claim is answered late', async () => {
    const gate = deferred();
    const { db, log } = fakeDatabase({ INSERT: () => gate.promise.then(() => [{ key: 'a', owner: '7' }]) });
    const handler = vi.fn(nothing);
    expect(await resultAfter(timeoutMs, once(storeOver(db), 'a', handler))).toBe(late('did not answer'));
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('rollback');
    expect(handler).not.toHaveBeenCalled();
  });

  it('does not commit if the check is answered late', async () => {
    const gate = deferred();
    const { db, log } = fakeDatabase({ [FINISH]: () => gate.promise.then(() => []) });
    const taking = once(storeOver(db), 'a', nothing);
    expect(await resultAfter(timeoutMs, taking)).toBe(late('did not answer'));
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('rollback');
  });

  it('says that it does not know if the commit is not answered in time', async () => {
    const { db } = fakeDatabase();
    const stuck: typeof db = { ...db, transaction: (work, options) => db.transaction(work, options).then(never) };
    expect(await resultAfter(timeoutMs, once(storeOver(stuck), 'a', nothing))).toBe(
      late('did not answer, so it is unknown whether the transaction was committed,'),
    );
  });

  it('refuses a client that calls the transaction again by itself', async () => {
    const { db } = fakeDatabase();
    const repeating: typeof db = {
      ...db,
      transaction: (work, options) => db.transaction(work, options).then(() => db.transaction(work, options)),
    };
    const run = vi.fn(nothing);
    expect(await resultAfter(0, once(storeOver(repeating), 'a', run))).toBe(
      'The client retried the transaction. Turn off its retries: the store runs a transaction again after a conflict.',
    );
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('commits in one message with the check where client and database can', async () => {
    const commit = vi.fn(nothing);
    const { db, log } = fakeDatabase({}, { commit });
    expect(await once(storeOver(db), 'a', nothing)).toBe('handled');
    expect(commit).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/txid_current_if_assigned\(\) = 7\s[\s\S]*; COMMIT$/),
    );
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'commit']);
  });

  it('does not start a handler that could outlive its lease, as after a freeze of the process', async () => {
    const frozen =
      'Claiming the key took so long that the handler could outlive its lease, so it was not started. The process was frozen, or leaseMs is too short.';
    for (const [leaseMs, openMs, claimMs, word] of [
      [100, 0, 79, 'handled'],
      [100, 0, 80, frozen],
      [60_000, 0, 5999, 'handled'],
      [60_000, 0, 6000, frozen],
      // The lease begins with the claim.
      [100, 5000, 79, 'handled'],
    ] as const) {
      const answer = (ms: number, rows: object[]) => new Promise<object[]>((resolve) => setTimeout(resolve, ms, rows));
      const { db, log } = fakeDatabase({ INSERT: () => answer(claimMs, [{ key: 'a', owner: '7' }]) });
      const slow: typeof db = {
        ...db,
        transaction: (...args) => answer(openMs, []).then(() => db.transaction(...args)),
      };
      const taking = once(storeOver(slow, { leaseMs, timeoutMs: 10_000 }), 'a', nothing);
      expect(await resultAfter(12_000, taking)).toEqual(word);
      expect(log.includes('commit')).toBe(word === 'handled');
    }
  });
});

describe('a transactional store after a conflict', () => {
  it.each([
    ['of the store', { INSERT: () => Promise.reject(withCode('40001')) }, nothing, 0],
    ['of the handler', {}, () => Promise.reject(withCode('40001')), 5],
  ])('tries five times in all: %s', async (_, answers, work, runs) => {
    const { db, log } = fakeDatabase(answers);
    const run = vi.fn(work);
    const result = await resultAfter(200, once(storeOver(db), 'a', run));
    expect(result).toBe(
      'Concurrent transactions made this one fail 5 times, so it was rolled back. A redelivery tries again.',
    );
    expect(log.filter((each) => each === 'begin')).toHaveLength(5);
    expect(run).toHaveBeenCalledTimes(runs);
  });

  it('waits longer before each try', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const starts: number[] = [];
    const { db } = fakeDatabase({ INSERT: () => Promise.reject(withCode('40001')) });
    const noting: typeof db = {
      ...db,
      transaction(...args) {
        starts.push(Date.now());
        return db.transaction(...args);
      },
    };
    await resultAfter(200, once(storeOver(noting), 'a', nothing));
    vi.restoreAllMocks();
    expect(starts.slice(1).map((start, index) => start - (starts[index] as number))).toEqual([3, 6, 12, 24]);
  });

  it('does not try again after any other error', async () => {
    const { db, log } = fakeDatabase({ INSERT: () => Promise.reject(withCode('42501')) });
    expect(await resultAfter(0, once(storeOver(db), 'a', nothing))).toBe('code 42501');
    expect(log).toEqual(['begin', 'in: INSERT INTO', 'rollback']);
  });

  it('repeats a transaction while a SQLite file is busy, for timeoutMs', async () => {
    let busyTries = 0;
    const db: SqlDatabase<string> = {
      ...fakeDatabase({}, {}, 'sqlite').db,
      transaction() {
        busyTries++;
        return Promise.reject(withCode('SQLITE_BUSY'));
      },
    };
    const taking = once(storeOver(db, { table: 'b' }), 'a', nothing);
    expect(await resultAfter(timeoutMs, taking)).toBe('pending');
    expect(await resultAfter(5, taking)).toBe('The database was not free within 1000 ms (timeoutMs).');
    expect(busyTries).toBe(202);
  });

  it('does not repeat a handler that found another file busy', async () => {
    const { db, log } = fakeDatabase({}, {}, 'sqlite');
    const busy = () => Promise.reject(withCode('SQLITE_BUSY'));
    expect(await resultAfter(0, once(storeOver(db, { table: 'b' }), 'a', busy))).toBe('code SQLITE_BUSY');
    expect(log.filter((each) => each === 'begin')).toHaveLength(1);
  });
});
