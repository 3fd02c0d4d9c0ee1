const warned = new WeakSet<object>();

/** Warns once per user object about a dangerous setting. `advice` returns undefined if there is none. */
export function warnOnce(about: object, code: string, advice: () => string | undefined): void {
  if (warned.has(about)) return;
  warned.add(about);
  try {
    const message = advice();
    if (message === undefined) return;
    // Some runtimes have no process, and their bundlers replace its bare name.
    const host: { emitWarning?: typeof process.emitWarning } | undefined = globalThis.process;
    if (typeof host?.emitWarning === 'function') host.emitWarning(message, { code });
    else console.warn(`[${code}] ${message}`);
  } catch {
    // Mocks and proxies may throw for unknown properties. A missing warning is not worth a failure.
  }
}
