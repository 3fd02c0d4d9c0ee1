import { afterEach, describe, expect, it, vi } from 'vitest';
import { type SqlDatabase, sqlStore } from '../../../src/stores/sql/index.js';
import { once } from '../calls.js';

const clocks = {
  'the monotonic clock': [performance, 'now'],
  'the wall clock': [Date, 'now'],
} as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A process that freezes for `ms` at one of its awaits, as measured by one of its clocks. */
function frozen(at: 'open' | 'claim', ms: number, clock: keyof typeof clocks, leaseMs: number) {
  const [of, name] = clocks[clock];
  const real = of[name].bind(of);
  let passed = 0;
  vi.spyOn(of, name).mockImplementation(() => real() + passed);
  const freeze = (where: string) => {
    if (where === at) passed += ms;
  };
  const ended: string[] = [];
  const run = async (statement: string) => {
    if (statement.startsWith('INSERT')) {
      freeze('claim');
      return { rows: [{ key: 'a', owner: '7' }] };
    }
    return { rows: [{ value: statement.includes('txid') ? '7' : 'public' }] };
  };
  const db: SqlDatabase<string> = {
    dialect: 'postgres',
    run,
    async transaction(work) {
      freeze('open');
      try {
        await work({ tx: 'tx', run });
        ended.push('commit');
      } catch (error) {
        ended.push('rollback');
        throw error;
      }
    },
  };
  const handler = vi.fn(async () => {});
  return { result: once(sqlStore({ db, transactional: true, leaseMs }), 'a', handler), handler, ended };
}

describe('a process that freezes while it claims a key in a transaction', () => {
  describe.each(['the monotonic clock', 'the wall clock'] as const)('by %s', (clock) => {
    it.each([
      [60_000, 6000],
      [60_000, 3_600_000],
      [300, 300],
    ])('does not start the handler on a lease of %i ms after %i ms', async (leaseMs, ms) => {
      const { result, handler, ended } = frozen('claim', ms, clock, leaseMs);
      await expect(result).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE', status: 503 });
      expect(handler).not.toHaveBeenCalled();
      expect(ended).toEqual(['rollback']);
    });

    it.each([
      ['claim', 5000],
      ['open', 3_600_000],
    ] as const)('starts it if the lease is intact (%s, %i ms)', async (at, ms) => {
      const { result, handler, ended } = frozen(at, ms, clock, 60_000);
      expect(await result).toBe('handled');
      expect(handler).toHaveBeenCalledExactlyOnceWith('tx', {
        onTimeout: expect.any(Function),
        fencingToken: 7n,
      });
      expect(ended).toEqual(['commit']);
    });
  });
});
