import { stopwatch } from '../internal/deadline.js';
import type { IdempotencyStore } from '../stores/store.js';

/**
 * The store of a worker that was given none: it forgets a key when its run is over. Until then no other run of that key
 * starts in this process, also when the handler is out of time and the engine tries its job again. After `holdMs` a
 * handler is taken for hung.
 */
export function runningKeys(holdMs: number): IdempotencyStore<undefined> {
  const running = new Map<string, () => number>();
  return {
    async once(key, run) {
      const before = running.get(key);
      if (before !== undefined && before() < holdMs) return 'in-progress';
      const elapsedMs = stopwatch();
      running.set(key, elapsedMs);
      try {
        await run(undefined);
        return 'handled';
      } finally {
        if (running.get(key) === elapsedMs) running.delete(key);
      }
    },
  };
}
