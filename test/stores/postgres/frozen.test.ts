import { afterEach, describe, expect, it, vi } from 'vitest';
import { resolveLeaseOptions } from '../../../src/stores/leased-store.js';
import type { Query } from '../../../src/stores/postgres/client.js';
import { statementsFor } from '../../../src/stores/postgres/sql.js';
import { type Session, transactionalStore } from '../../../src/stores/postgres/transaction.js';

const clocks = {
  'the monotonic clock': [performance, 'now'],
  'the wall clock': [Date, 'now'],
} as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A process that freezes for `ms` at one of its awaits, as measured by one of its clocks. */
function frozen(at: 'open' | 'begin', ms: number, clock: keyof typeof clocks, leaseMs: number) {
  const [of, name] = clocks[clock];
  const real = of[name].bind(of);
  let passed = 0;
  vi.spyOn(of, name).mockImplementation(() => real() + passed);
  const freeze = (where: string) => {
    if (where === at) passed += ms;
  };
  const ended: string[] = [];
  const session: Session<string> = {
    tx: 'tx',
    async begin() {
      freeze('begin');
      return { value: 'claimed 7', count: 1 };
    },
    query: async () => ({ value: undefined, count: 0 }),
    commit: async () => void ended.push('commit'),
    rollback: async () => void ended.push('rollback'),
    abandon: () => void ended.push('abandon'),
  };
  const open = async () => {
    freeze('open');
    return session;
  };
  const query: Query = () => Promise.reject(new Error('not in this test'));
  const lease = resolveLeaseOptions({ leaseMs });
  const run = vi.fn(async () => {});
  const store = transactionalStore(open, query, statementsFor('keys', lease), lease);
  return { result: store.once('a', run), run, ended };
}

describe('a process that freezes during its claim', () => {
  describe.each(['the monotonic clock', 'the wall clock'] as const)('by %s', (clock) => {
    it.each([
      [60_000, 60_000],
      [60_000, 6000],
      [60_000, 3_600_000],
      [2500, 2500],
      [300, 300],
    ])('does not start the handler on a lease of %i ms after %i ms', async (leaseMs, ms) => {
      const { result, run, ended } = frozen('begin', ms, clock, leaseMs);
      await expect(result).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE', status: 503 });
      expect(run).not.toHaveBeenCalled();
      expect(ended).toEqual(['abandon']);
    });

    it.each([
      ['begin', 5000],
      ['open', 3_600_000],
    ] as const)('starts it if the lease is intact (%s, %i ms)', async (at, ms) => {
      const { result, run, ended } = frozen(at, ms, clock, 60_000);
      expect(await result).toBe('handled');
      expect(run).toHaveBeenCalledExactlyOnceWith('tx', {
        onTimeout: expect.any(Function),
        remainingMs: expect.any(Function),
        fencingToken: 7n,
      });
      expect(ended).toEqual(['commit']);
    });
  });
});
