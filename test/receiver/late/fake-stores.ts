import type { IdempotencyStore } from '../../../src/index.js';

/** A store that holds a key for as long as its run lasts, as leases do. */
export function fakeLeaseStore(): IdempotencyStore {
  const keys = new Map<string, 'held' | 'done'>();
  return {
    leaseMs: 60_000,
    async once(key, run) {
      const state = keys.get(key);
      if (state) return state === 'done' ? 'duplicate' : 'in-progress';
      keys.set(key, 'held');
      try {
        await run(undefined);
        keys.set(key, 'done');
        return 'handled';
      } catch (error) {
        keys.delete(key);
        throw error;
      }
    },
  };
}

/** A store that undoes the effect of a run whose time is up. */
export function fakeTransactionalStore() {
  const keys = new Map<string, 'held' | 'done'>();
  const rolledBack: string[] = [];
  const store: IdempotencyStore = {
    async once(key, run) {
      const state = keys.get(key);
      if (state) return state === 'done' ? 'duplicate' : 'in-progress';
      keys.set(key, 'held');
      try {
        await new Promise<void>((resolve, reject) => {
          run(undefined, { onTimeout: reject }).then(resolve, reject);
        });
        keys.set(key, 'done');
        return 'handled';
      } catch (error) {
        keys.delete(key);
        rolledBack.push(key);
        throw error;
      }
    },
  };
  return { store, rolledBack };
}
