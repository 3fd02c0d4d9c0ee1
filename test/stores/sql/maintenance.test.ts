import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Dialect, type SqlDatabase, sqlStore } from '../../../src/stores/sql/index.js';
import { DELIVERY } from '../../../src/stores/store.js';
import { failure } from '../../contracts/letters.js';
import { failing, nothing, unique } from '../../contracts/store-helpers.js';
import { once } from '../calls.js';

const busy = () => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
const withRun = (run: SqlDatabase['run'], dialect: Dialect = 'sqlite'): SqlDatabase => ({
  dialect,
  run,
  transaction: nothing,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a store over SQL', () => {
  it('gives its own statements timeoutMs, and those that create or sweep at least a minute', async () => {
    const given: (number | undefined)[] = [];
    const run: SqlDatabase['run'] = async (_, timeoutMs) => {
      given.push(timeoutMs);
      return { rows: [] };
    };
    for (const timeoutMs of [2000, 90_000]) {
      const store = sqlStore({ db: withRun(run), timeoutMs });
      await store.migrate();
      await store.sweep();
      await once(store, unique(), failing);
    }
    expect([...new Set(given)]).toEqual([60_000, 2000, 90_000]);
  });

  it('says that its table is missing, whatever is called', async () => {
    const db = withRun(() => Promise.reject(Object.assign(new Error('no'), { code: '42P01' })), 'postgres');
    const { claim, release, letters, records } = sqlStore({ db, table: 'a.b' });
    for (const call of [
      () => claim(['a'], 'owner', DELIVERY),
      () => release(['a'], 'owner'),
      () => letters?.fail('a', failure()),
      () => letters?.look(['a']),
      () => letters?.list({ limit: 1 }),
      () => letters?.discard(['a']),
      () => records?.look(['a']),
    ])
      await expect(call()).rejects.toThrow('The table a.b does not exist. Call migrate() of the store');
  });

  it('sweeps until fewer keys are left than it deletes at once', async () => {
    const counts = [10_000, 10_000, 3];
    const run = vi.fn(async () => ({ rows: Array.from({ length: counts.shift() ?? 0 }, () => ({ one: 1 })) }));
    expect(await sqlStore({ db: withRun(run) }).sweep()).toBe(20_003);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('repeats its statements while a SQLite file is busy, and in no other database', async () => {
    for (const dialect of ['sqlite', 'postgres'] as const) {
      let tries = 0;
      const run = async () => {
        if (++tries < 3) throw busy();
        return { rows: [{ key: 'a' }] };
      };
      const word = once(
        sqlStore({ db: withRun(run, dialect), table: dialect === 'sqlite' ? 'keys' : 'a.keys' }),
        'a',
        nothing,
      );
      const settled = word.catch(({ message }) => message);
      await vi.advanceTimersByTimeAsync(10);
      expect(await settled).toBe(dialect === 'sqlite' ? 'handled' : 'database is locked');
    }
  });

  it('counts statements of a LeaseDatabase as lost after a minute', async () => {
    const run = vi.fn((_: string) => new Promise<never>(nothing));
    const store = sqlStore({ db: { dialect: 'sqlite', run } });
    for (let index = 0; index < 1001; index++) once(store, `${index}`, nothing).catch(nothing);
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1000);
    await vi.advanceTimersByTimeAsync(60_001);
    run.mockClear();
    for (let index = 0; index < 10; index++) once(store, `${index}`, nothing).catch(nothing);
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(10);
  });
});
