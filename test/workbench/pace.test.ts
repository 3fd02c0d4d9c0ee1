import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPace } from '../../src/workbench/pace.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KIB = 1024;
/** A pace of 1 MiB a second of which 200 KiB may come at once, and the sizes that were admitted, in order. */
function paced() {
  const pace = createPace({ bytesPerSecond: 1024 * KIB, burst: 200 * KIB, now: Date.now });
  const admitted: number[] = [];
  const admit = (kib: number) => void pace.admit(kib * KIB).then(() => admitted.push(kib));
  return { ...pace, admit, admitted };
}

it('admits what is small at once, and of what is large the smallest first, as time goes by', async () => {
  const { admit, admitted } = paced();
  for (const kib of [1024, 900, 100, 500, 64]) admit(kib);
  await vi.advanceTimersByTimeAsync(0);
  expect(admitted).toEqual([1024, 64]);
  await vi.advanceTimersByTimeAsync(700);
  expect(admitted).toEqual([1024, 64]);
  await vi.advanceTimersByTimeAsync(200);
  expect(admitted).toEqual([1024, 64, 100]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(admitted).toEqual([1024, 64, 100, 500, 900]);
});

it('holds nothing back for what has been verified', async () => {
  const { admit, refund, admitted } = paced();
  for (let count = 0; count < 5; count++) {
    admit(1024);
    await vi.advanceTimersByTimeAsync(0);
    refund(1024 * KIB);
  }
  expect(admitted).toHaveLength(5);
});
