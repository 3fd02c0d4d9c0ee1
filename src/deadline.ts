/** Settles as `work` does, or rejects with what `late` gives once `ms` milliseconds have gone by. */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const settle = <V>(next: (value: V) => void) => {
      return (value: V) => {
        clearTimeout(timer);
        next(value);
      };
    };
    work.then(settle(resolve), settle(reject));
  });
}
