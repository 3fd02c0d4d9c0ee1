/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a promise, or passes for one. It must not throw: user code gave it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
  } catch {
    return false;
  }
}

/** For what should not have been a promise: nobody waits for it, and its failure must not end the process. */
export function ignorePromise(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {});
}
