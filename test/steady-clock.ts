import { afterEach, beforeEach, vi } from 'vitest';

/** In the tests of a file, time passes while nothing else runs: a busy machine reaches no limit early. */
export function onSteadyClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
