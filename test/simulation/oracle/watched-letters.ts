import type { LeaseStore } from '../../../src/stores/store.js';
import type { KeptKeys } from './letters.js';

/** The keys of a store in memory, by what it answers. */
export class WatchedLetters implements KeptKeys {
  readonly discarded = new Set<string>();
  readonly #dead = new Set<string>();
  readonly #recorded = new Set<string>();

  get dead(): string[] {
    return [...this.#dead];
  }

  isDead(key: string): boolean {
    return this.#dead.has(key);
  }

  isRecorded(key: string): boolean {
    return this.#recorded.has(key);
  }

  watch(store: LeaseStore): LeaseStore {
    const { letters } = store;
    return {
      ...store,
      record: async (keys, owner, step) => {
        const answers = await store.record(keys, owner, step);
        for (const [key, isRecorded] of answers) {
          if (!isRecorded) continue;
          this.#recorded.add(key);
          this.#dead.delete(key);
        }
        return answers;
      },
      letters: letters && {
        ...letters,
        fail: async (key, failure) => {
          const failed = await letters.fail(key, failure);
          if (failed?.isDead) this.#dead.add(key);
          return failed;
        },
        discard: async (keys) => {
          const found = await letters.discard(keys);
          for (const key of found) {
            this.#dead.delete(key);
            this.discarded.add(key);
          }
          return found;
        },
      },
    };
  }
}
