import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBrake } from '../../src/listener/brake.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('lets a burst pass, delays the rest, and delays none beyond the limit', async () => {
  const brake = createBrake({ burst: 3, perSecond: 10, mostMs: 500, now: Date.now });
  let passed = 0;
  for (let count = 0; count < 20; count++) void brake().then(() => passed++);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toBe(3);
  await vi.advanceTimersByTimeAsync(200);
  expect(passed).toBe(5);
  await vi.advanceTimersByTimeAsync(300);
  expect(passed).toBe(20);
});
