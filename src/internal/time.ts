/**
 * Settles like `work`, or rejects with the error that `late` returns after `ms` milliseconds. Relies on a timer: if the
 * process was frozen, work may still win over an overdue timer. Where that matters, also check a {@link stopwatch}.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const stop = () => clearTimeout(timer);
    work.then(resolve, reject).then(stop, stop);
  });
}

/** Milliseconds on a monotonic clock, or on the wall clock if there is no monotonic one. */
export function monotonicNow(): number {
  return globalThis.performance?.now() ?? Date.now();
}

/**
 * Starts to measure time and returns a function that returns the elapsed milliseconds: the larger of the monotonic
 * clock, which some machines stop while they sleep, and the wall clock, which can be set. So no time of a lease is
 * missed.
 */
export function stopwatch(): () => number {
  const monotonic = monotonicNow();
  const wall = Date.now();
  return () => Math.max(monotonicNow() - monotonic, Date.now() - wall);
}
