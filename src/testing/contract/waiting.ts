/** How long the suite waits for a promise of the store, in ms. */
export const WAIT_MS = 10_000;

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Settles like `work`; rejects with the error of `late` when `ms` have passed. */
export function within<T>(work: Promise<T>, late: () => Error, ms = WAIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const stop = () => clearTimeout(timer);
    work.then(resolve, reject).then(stop, stop);
  });
}

/** Whether `work` settles within `ms`. */
export function settles(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const yes = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(yes, yes);
  });
}

/** A run waits at a gate until the case opens it. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
  /** Makes the run that waits fail. */
  fail(error: Error): void;
}

export function createGate(): Gate {
  let open: () => void = () => {};
  let fail: (error: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  passed.catch(() => {}); // The run may never come to wait.
  return { passed, open, fail };
}
