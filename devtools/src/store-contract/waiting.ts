/** How long the suite waits for a promise of the store, in ms. */
export const WAIT_MS = 10_000;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Settles like `work`; rejects with the error of `late` after `ms`. `work` may throw synchronously. */
export function within<T>(work: () => T | Promise<T>, late: () => Error, ms = WAIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    const stop = () => clearTimeout(timer);
    (async () => work())().then(resolve, reject).then(stop, stop);
  });
}

/** Like {@link within}, for a function of the user, which the error names. */
export function settled<T>(name: string, work: () => T | Promise<T>, ms = WAIT_MS): Promise<T> {
  return within(work, () => new Error(`\`${name}\` did not settle within ${ms / 1000} s.`), ms);
}

/** Whether `work` settles within `ms`. */
export async function settles(work: Promise<unknown>, ms: number): Promise<boolean> {
  let isLate = false;
  const late = () => {
    isLate = true;
    return new Error('late');
  };
  await within(() => work, late, ms).catch(() => {});
  return !isLate;
}

export type Gate = ReturnType<typeof createGate>;

/** A run waits at a gate until the case opens it. */
export function createGate() {
  let open: () => void = () => {};
  let fail: (error: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  passed.catch(() => {}); // The run may never wait at the gate.
  return {
    passed,
    open,
    /** Makes the waiting run fail. */
    fail,
  };
}
