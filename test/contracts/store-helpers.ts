import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from '../../src/index.js';
import { deferred } from '../helpers.js';

export const unique = (): string => randomUUID();
export const nothing = async (): Promise<void> => {};
export const failing = (): Promise<void> => Promise.reject(new Error('the run failed'));

/** Claims a key for a run that lasts until `end`. Resolves once it runs, so that every later call is second. */
export async function holdKey(store: IdempotencyStore<unknown>, key: string, end: Promise<void>) {
  const running = deferred();
  const result = store.once(key, () => {
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

/** Keys that anybody could send: a store must accept each, and confuse no two of them. */
export const hostileKeys: readonly string[] = [
  'x'.repeat(10_000),
  `${'x'.repeat(9999)}y`,
  'a\0',
  'a\0b',
  'a',
  'A',
  'a ',
  ' a',
  '__proto__',
  'constructor',
  "'; DROP TABLE webhook_idempotency_keys; --",
  '$1',
  '?',
  '*',
  'h[ae]llo',
  '%',
  '_',
  '\\',
  '\n',
  '\r\n',
  '{a}',
  '{b}',
  'sha256:',
  `sha256:${'0'.repeat(64)}`,
  // The same letter composed and decomposed, and lone surrogates, which UTF-8 replaces by one and the same character.
  '\u00e9',
  'e\u0301',
  '\ud800',
  '\udfff',
  '\ufffd',
  '\u{1f600}',
];
