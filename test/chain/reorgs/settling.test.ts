import { expect, it, onTestFinished, vi } from 'vitest';
import { Settling } from '../../../src/chain/reorgs/settling.js';
import type { FollowedReceiver } from '../../../src/handle/reorgs.js';
import type { ReorgReport } from '../../../src/handle/tracing.js';

it('reports the open events of all blocks after a pass over some', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: ReorgReport[] = [];
  const counts = { chainId: 1, applied: 0, reverted: 0, failed: 0, final: 0, isElsewhere: false };
  const pass = async (_isOver: () => boolean, numbers?: readonly number[]): Promise<ReorgReport> =>
    numbers
      ? { ...counts, reverted: 1, open: numbers.length, oldestBlock: numbers[0] }
      : { ...counts, open: 5, oldestBlock: 10 };
  const gate = { isClosed: false, check: () => {}, wait: () => {} };
  const settled = (report: ReorgReport) => void reports.push(report);
  const settling = new Settling(60_000, pass, { gate, settled } as unknown as FollowedReceiver);
  await settling.settle();
  settling.hint(12);
  await vi.advanceTimersByTimeAsync(1000);
  expect(reports).toEqual([
    { ...counts, open: 5, oldestBlock: 10 },
    { ...counts, reverted: 1, open: 5, oldestBlock: 10 },
  ]);
});

const NONE: ReorgReport = { chainId: 1, applied: 0, reverted: 0, failed: 0, final: 0, open: 0, isElsewhere: false };

/** Passes at intervals, over a gate that a test closes. */
function settling(intervalMs: number | false, pass: (isOver: () => boolean, numbers?: readonly number[]) => unknown) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const gate = { isClosed: false, check: () => {}, wait: () => {} };
  const errors: unknown[] = [];
  const receiver = { gate, settled: () => {}, report: (error: unknown) => errors.push(error) };
  const own = new Settling(intervalMs, pass as never, receiver as unknown as FollowedReceiver);
  return { own, gate, errors };
}

it('runs a pass at each interval, until the receiver drains, and reports one that fails', async () => {
  let passes = 0;
  const { gate, errors } = settling(5000, async () => {
    if (++passes === 2) throw new Error('The store is down.');
    return NONE;
  });
  await vi.advanceTimersByTimeAsync(15_000);
  expect([passes, errors.length]).toEqual([3, 1]);
  gate.isClosed = true;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(passes).toBe(3);
});

it('ignores hints without an interval, and covers all blocks after very many', async () => {
  const asked: unknown[] = [];
  const quiet = settling(false, async () => NONE);
  quiet.own.hint(1);
  await vi.advanceTimersByTimeAsync(5000);
  const { own } = settling(60_000, async (_, numbers) => {
    asked.push(numbers);
    return NONE;
  });
  for (const number of [7, 8, 7]) own.hint(number);
  await vi.advanceTimersByTimeAsync(1000);
  for (let number = 0; number < 1001; number++) own.hint(number);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toEqual([[7, 8], undefined]);
});

it('ends a pass at the signal of its caller', async () => {
  const { own } = settling(false, async (isOver) => ({ ...NONE, isElsewhere: isOver() }));
  expect((await own.settle({ signal: AbortSignal.abort() })).isElsewhere).toBe(true);
  expect((await own.settle()).isElsewhere).toBe(false);
});
