import { withDeadline } from '../internal/deadline.js';
import { storeError, WRONG_WORD } from './attempt-errors.js';
import { Deadline } from './deadline.js';
import type { Once } from './lease-run.js';

/**
 * What a store knows of a key without a run: it took effect, it did not, another run has claimed it, or nobody knows because
 * the transaction of an earlier run ended without the store.
 */
export type KeyState = 'handled' | 'missing' | 'in-progress' | 'unknown';

/**
 * Asks a store whether a key took effect, with a run that always fails and so leaves nothing behind: a look at its row would
 * not see the open transaction of another run. It claims the key for that moment, so a delivery of the same event that
 * arrives meanwhile is `in-progress`. Rejects with `ERR_WEBHOOK_STORE`.
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
    // A key that the store gave to a run had not taken effect, whatever became of the run.
    if (isFree) return 'missing';
    throw storeError(cause);
  }
  throw storeError(new Error(WRONG_WORD));
}
