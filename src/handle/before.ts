import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { withDeadline } from '../internal/time.js';
import { DELIVERY } from '../stores/store.js';
import { asWebhookError, type EventOutcome } from './answer.js';
import type { AboutDelivery } from './context.js';
import { Deadline } from './deadline.js';
import type { Once, Shared } from './once.js';
import { storeFailure, WRONG_WORD } from './outcome.js';
import type { EventEntry } from './types.js';

/** Why an event is not handled now: part of its outcome. */
export type Kept = Pick<EventOutcome, 'error' | 'retryAfterMs'> & {
  readonly status: 'not-final' | 'dropped' | 'failed';
};

/** The context of a check by a {@link Finality}. */
export interface BeforeContext {
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
  /** Returns the state of a key in the store. Rejects with `ERR_WEBHOOK_STORE`. */
  readonly stateOf: (idempotencyKey: string) => Promise<KeyState>;
}

/** The option `finality`: decides which events must wait, before their keys are claimed. */
export interface Finality {
  /** Throws ConfigError for receiver options with which finality cannot be guaranteed. */
  check?(options: { readonly enqueue?: unknown; readonly idempotencyKey?: unknown }): void;
  /**
   * Resolves to the events that are not handled now, each with the reason; the others are handled. If it fails, all
   * events wait.
   */
  before(entries: readonly EventEntry[], context: BeforeContext): Promise<ReadonlyMap<EventEntry, Kept>>;
}

/** Returns the outcomes of the events that are not handled now. Never rejects: if the check fails, all events wait. */
export type Before = (
  keys: ReadonlyMap<EventItem, string>,
  about: AboutDelivery,
) => Promise<ReadonlyMap<EventItem, EventOutcome>>;

/** Delay before the next try if the check failed, in ms. */
const ASK_AGAIN_MS = 15_000;

export function createBefore<Tx>(finality: Finality, { once, handlerTimeoutMs, afterwards }: Shared<Tx>): Before {
  return async (keys, { source, host }) => {
    const outcomes = new Map<EventItem, EventOutcome>();
    const items = new Map<EventEntry, EventItem>();
    for (const [item, idempotencyKey] of keys) items.set({ event: item.event, idempotencyKey }, item);
    const entries = [...items.keys()];
    if (entries.length === 0) return outcomes;
    const limit = new Deadline(handlerTimeoutMs, host);
    const context: BeforeContext = {
      source,
      // Ends before the deadline, so that the error names the store.
      stateOf: (key) => probe(once, key, 0.9 * limit.remainingMs()),
    };
    const asking = limit.run(() => finality.before(entries, context), afterwards.hold);
    const kept = await asking.catch((cause) => {
      const isLate = cause === limit.error && WebhookError.codeOf(cause) === 'ERR_WEBHOOK_HANDLER_TIMEOUT';
      const waits = notFinal(ASK_AGAIN_MS, isLate ? new Error('`finality` did not answer in time.') : cause);
      return new Map(entries.map((entry) => [entry, waits]));
    });
    for (const [entry, item] of items) {
      const why = kept.get(entry);
      // The error may come from another copy of the library.
      const error = why?.error && asWebhookError(why.error);
      if (why) outcomes.set(item, { item, idempotencyKey: entry.idempotencyKey, ...why, error });
    }
    return outcomes;
  };
}

export function notFinal(retryAfterMs: number, cause?: unknown): Kept {
  const message = 'The event waits until its block is known to be final.';
  const error = new WebhookError('ERR_WEBHOOK_NOT_FINAL', message, cause === undefined ? {} : { cause });
  return { status: 'not-final', retryAfterMs, error };
}

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
    const asking = once([key], DELIVERY, run, new Deadline(timeoutMs));
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
