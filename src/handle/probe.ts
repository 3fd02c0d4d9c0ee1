import { withDeadline } from '../internal/deadline.js';
import { storeFailure, WRONG_WORD } from './attempt-errors.js';
import { Deadline } from './deadline.js';
import type { Once } from './lease-run.js';

/**
 * The state of a key in a store: it took effect, it did not, another run has claimed it, or its effects are unknown
 * because the transaction of an earlier run ended without the store.
 */
export type KeyState = 'handled' | 'missing' | 'in-progress' | 'unknown';

/**
 * Asks a store whether a key took effect. Uses a run that always fails and leaves nothing behind, because reading the
 * row would not show the open transaction of another run. The run claims the key for a moment: a delivery of the same
 * event that arrives meanwhile is `in-progress`. Rejects with `ERR_WEBHOOK_STORE`.
 */
export async function probe<Tx>(once: Once<Tx>, key: string, timeoutMs: number): Promise<KeyState> {
  let isFree = false;
  const run = () => {
    isFree = true;
    throw new Error('This run only asks whether the key took effect.');
  };
  try {
    const asking = once([key], { from: 'free', to: 'done' }, run, new Deadline(timeoutMs));
    const words = await withDeadline(asking, timeoutMs, () => new Error('The store did not answer in time.'));
    const word: unknown = words.get(key);
    if (word === 'in-progress' || word === 'unknown') return word;
    if (word === 'duplicate' && !isFree) return 'handled';
  } catch (cause) {
    // The store passes a key to a run only if the key has not taken effect, however the run ends.
    if (isFree) return 'missing';
    throw storeFailure(cause);
  }
  throw storeFailure(new Error(WRONG_WORD));
}
