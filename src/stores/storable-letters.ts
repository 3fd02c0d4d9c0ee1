import { storableKey } from './storable-key.js';
import type { LetterStore } from './store.js';

/** Wraps the letters of a store that keeps keys in the form of `storableKey`. */
export function storableLetters(letters: LetterStore): LetterStore {
  return {
    fail: async (name, failure) => letters.fail(storableKey(name), failure),
    list: (page) => letters.list(page),
    async look(names) {
      const found = await letters.look(names.map(storableKey));
      return new Map(names.flatMap((name) => entry(name, found.get(storableKey(name)))));
    },
    async discard(names) {
      const discarded = await letters.discard(names.map(storableKey));
      return new Set(names.filter((name) => discarded.has(storableKey(name))));
    },
  };
}

function entry<Value>(name: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[name, value]];
}
