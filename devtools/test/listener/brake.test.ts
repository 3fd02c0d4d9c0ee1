import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBrake } from '../../src/listener/brake.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('lets a burst pass, delays the rest, and delays none beyond the limit', async () => {
  const brake = createBrake();
  let passed = 0;
  for (let count = 0; count < 400; count++) void brake().then(() => passed++);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toBe(100);
  await vi.advanceTimersByTimeAsync(500);
  expect(passed).toBe(150);
  await vi.advanceTimersByTimeAsync(500);
  expect(passed).toBe(400);
});
