/** An error that nobody handled: a rejection without a handler, or what a callback threw. */
export interface Stray {
  readonly invariant: 'unhandled rejection' | 'uncaught exception';
  readonly error: unknown;
}

let strays: Stray[] = [];

/** Makes this thread survive stray errors, which `takeStrays` returns. */
export function catchStrays(): void {
  process.on('unhandledRejection', (error) => strays.push({ invariant: 'unhandled rejection', error }));
  process.on('uncaughtException', (error) => strays.push({ invariant: 'uncaught exception', error }));
}

/** The stray errors since the last call. Node reports rejections when no tick is due any more. */
export async function takeStrays(): Promise<readonly Stray[]> {
  await new Promise((resolve) => setImmediate(resolve));
  if (strays.length === 0) return strays;
  const taken = strays;
  strays = [];
  return taken;
}
