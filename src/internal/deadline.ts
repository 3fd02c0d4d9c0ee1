/**
 * Settles as `work` does, or rejects with what `late` gives once `ms` milliseconds have gone by. It trusts a timer: work
 * that settles while the process is frozen may win over a timer that is overdue. Where that matters, ask a
 * {@link stopwatch} as well.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const stop = () => clearTimeout(timer);
    work.then(resolve, reject).then(stop, stop);
  });
}

/** Milliseconds on a clock that cannot be set; on the wall clock where there is no other. */
export function monotonicNow(): number {
  return globalThis.performance?.now() ?? Date.now();
}

/**
 * Starts to measure time and returns a function that says how many milliseconds have gone by: on the monotonic clock, which
 * some machines stop while they sleep, or on the wall clock, which can be set. The larger of the two, so that neither hides
 * time from a lease.
 */
export function stopwatch(): () => number {
  const monotonic = monotonicNow();
  const wall = Date.now();
  return () => Math.max(monotonicNow() - monotonic, Date.now() - wall);
}
