/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a promise or a thenable. Must not throw, because the value comes from user code. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
  } catch {
    return false;
  }
}

/** Ignores a value that should not have been a promise: its rejection must not end the process. */
export function ignorePromise(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {});
}
