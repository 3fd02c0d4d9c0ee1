import { withDeadline } from '../internal/deadline.js';
import type { IdempotencyStore, RunOptions } from '../stores/store.js';
import { storeError, WRONG_WORD } from './attempt-errors.js';

/**
 * What a store knows of a key without a run: it took effect, it did not, another run has claimed it, or nobody knows because
 * the transaction of an earlier run ended without the store.
 */
export type KeyState = 'handled' | 'missing' | 'in-progress' | 'unknown';

/**
 * Asks a store whether a key took effect, with a run that always fails and so leaves nothing behind. It claims the key for
 * that moment: a delivery of the same event that arrives meanwhile is `in-progress`. Rejects with `ERR_WEBHOOK_STORE`.
 */
export async function probe<Tx>(store: IdempotencyStore<Tx>, key: string, timeoutMs: number): Promise<KeyState> {
  let isFree = false;
  const run = async (_tx: unknown, options?: RunOptions): Promise<void> => {
    isFree = true;
    const stop = new Error('This run only asks whether the key took effect.');
    options?.onReturn?.(stop);
    throw stop;
  };
  try {
    const asking = (async (): Promise<unknown> => store.once(key, run))();
    const word = await withDeadline(asking, timeoutMs, () => new Error('The store did not answer in time.'));
    if (word === 'in-progress' || word === 'unknown') return word;
    if (word === 'duplicate' && !isFree) return 'handled';
  } catch (cause) {
    // A key that the store gave to a run had not taken effect, whatever became of the run.
    if (isFree) return 'missing';
    throw storeError(cause);
  }
  throw storeError(new Error(WRONG_WORD));
}
