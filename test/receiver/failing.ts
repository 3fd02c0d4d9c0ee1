import { type DeadLetter, type LeaseStore, memoryStore, type OnEvent } from '../../src/index.js';
import type { LetterStore } from '../../src/stores/store.js';
import { noting, type Settings } from '../helpers.js';

const LIMITS = { afterAttempts: 2, afterSeconds: 0 };

/** A receiver whose handler fails while `bad` has the id of the event. */
export function failing({ bad = ['b'], ...settings }: Settings & { bad?: string[]; onEvents?: never } = {}) {
  const left = new Set(bad);
  const letters: DeadLetter[] = [];
  const calls: string[] = [];
  const onEvent: OnEvent = ({ id }) => {
    calls.push(id);
    if (left.has(id)) throw Object.assign(new Error(`No account for ${id}.`), { code: 'E_ACCOUNT' });
  };
  const all = noting({ onEvent, deadLetters: LIMITS, onDeadLetter: (letter) => letters.push(letter), ...settings });
  return { ...all, letters, calls, left };
}

/** The same store, some of whose letters' methods are others. */
export function withLetters(
  changes: (letters: LetterStore) => Partial<LetterStore>,
  store = memoryStore(),
): LeaseStore {
  const letters = store.letters as LetterStore;
  return { ...store, letters: { ...letters, ...changes(letters) } };
}
