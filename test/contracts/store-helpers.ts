import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from '../../src/index.js';
import { deferred } from '../helpers.js';
import { once } from '../stores/calls.js';

export { HOSTILE_KEYS } from '../../devtools/src/store-contract/keys.js';

export const unique = (): string => randomUUID();
export const nothing = async (): Promise<void> => {};
export const failing = (): Promise<void> => Promise.reject(new Error('the run failed'));

/** Claims a key for a run that lasts until `end`. Resolves once it runs, so that every later call is second. */
export async function holdKey(store: IdempotencyStore<unknown>, key: string, end: Promise<void>) {
  const running = deferred();
  const result = once(store, key, () => {
    running.resolve();
    return end;
  });
  await Promise.race([running.promise, result]);
  return { result };
}

/** Retries `check` until it passes, for state that only a server's clock changes. Fails with the last error of `check`. */
export async function eventually(check: () => Promise<unknown>, withinMs = 8000): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
