import type { WebhookError } from '../errors.js';
import type { StoreWord } from '../stores/store.js';
import type { EventOutcome, Items } from './answer.js';
import type { AboutDelivery } from './context.js';

/** The result of an attempt to handle events. */
export interface Attempted {
  readonly outcomes: EventOutcome[];
  /** The events that the handler was called with. */
  readonly tried: Items;
  /**
   * Why all events failed. `handler`: it threw, and a transactional store has rolled back its run. `unknown`: its
   * transaction ended without the store. `abandoned`: earlier runs of the events in `outcomes` never ended; the others
   * were not tried. `store`: the store failed, or the time is over.
   */
  readonly failed?: { readonly by: 'handler' | 'unknown' | 'abandoned' | 'store'; readonly error: WebhookError };
}

/**
 * Counts failed events of an attempt whose run the store has rolled back or released, and returns the outcomes, with those
 * that became dead letters. Events that failed together do not count: one of them may have made the others fail.
 * Never rejects.
 */
export type CountFailures = (attempted: Attempted, about: AboutDelivery) => Promise<EventOutcome[]>;

/** The state of the handler's run when the store answers. */
export type RunState = 'idle' | 'running' | 'done' | 'failed' | 'late';

/** For each state of the run, whether a store may give this answer: always, only if it is transactional, or never. */
const ALLOWED: Readonly<Record<StoreWord, Readonly<Record<RunState, 'always' | 'transactional' | 'never'>>>> = {
  handled: { idle: 'never', running: 'never', done: 'always', failed: 'never', late: 'never' },
  // After a failed run, a transactional store may find in its next transaction that the key took effect elsewhere.
  duplicate: { idle: 'always', running: 'never', done: 'always', failed: 'transactional', late: 'never' },
  'in-progress': { idle: 'always', running: 'always', done: 'always', failed: 'transactional', late: 'always' },
  unknown: { idle: 'always', running: 'always', done: 'always', failed: 'always', late: 'always' },
};

/**
 * Whether a store may give this answer for a key. Any other answer is an error of the store, and the event fails.
 *
 * @param isFresh Whether the run got the key.
 */
export function isPossible(
  answer: unknown,
  run: RunState,
  isTransactional: boolean,
  isFresh: boolean,
): answer is StoreWord {
  if (typeof answer !== 'string' || !Object.hasOwn(ALLOWED, answer)) return false;
  if (answer === 'handled' && !isFresh) return false;
  const allowed = ALLOWED[answer as StoreWord][run];
  return allowed === 'always' || (allowed === 'transactional' && isTransactional);
}
