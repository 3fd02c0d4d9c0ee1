/** Settles as `work` does, or rejects with what `late` gives once `ms` milliseconds have gone by. */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const stop = () => clearTimeout(timer);
    work.then(resolve, reject).then(stop, stop);
  });
}
