import { expect, it, onTestFinished, vi } from 'vitest';
import { Settling } from '../../../src/chain/reorgs/settling.js';
import type { ReorgReport } from '../../../src/handle/reorg-report.js';
import type { FollowedReceiver } from '../../../src/handle/reorgs.js';

it('reports the open events of all blocks after a pass over some', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reports: ReorgReport[] = [];
  const counts = { applied: 0, reverted: 0, failed: 0, final: 0, isElsewhere: false };
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
