import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stopwatch } from '../../src/internal/time.js';

describe('stopwatch', () => {
  let monotonic: number;
  let wall: number;
  beforeEach(() => {
    monotonic = 5000.5;
    wall = 1_700_000_000_000;
    vi.spyOn(performance, 'now').mockImplementation(() => monotonic);
    vi.spyOn(Date, 'now').mockImplementation(() => wall);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it.each([
    ['both clocks', 40, 40, 40],
    ['the monotonic clock alone, as when the wall clock is set back', 40, -3_600_000, 40],
    ['the wall clock alone, as when the machine was suspended', 0.25, 40, 40],
    ['no clock', 0, 0, 0],
  ])('counts what passes on %s', (_, monotonicMs, wallMs, expected) => {
    const elapsed = stopwatch();
    monotonic += monotonicMs;
    wall += wallMs;
    expect(elapsed()).toBe(expected);
  });

  it('counts what passes on the wall clock in a runtime without a monotonic one', () => {
    vi.stubGlobal('performance', undefined);
    const elapsed = stopwatch();
    wall += 40;
    expect(elapsed()).toBe(40);
  });
});
