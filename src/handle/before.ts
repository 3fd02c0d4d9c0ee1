import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { asWebhookError, type EventOutcome } from './answer.js';
import { codeOf } from './attempt-errors.js';
import type { AboutDelivery } from './context.js';
import { Deadline } from './deadline.js';
import type { Ground } from './ground.js';
import { type KeyState, probe } from './probe.js';
import type { EventEntry } from './types.js';

/** Why an event is not handled now, as in the outcome of the event. */
export type Kept = Pick<EventOutcome, 'error' | 'retryAfterMs'> & {
  readonly status: 'not-final' | 'dropped' | 'failed';
};

/** What a {@link Finality} gets with the events of a delivery. */
export interface BeforeContext {
  /** The source that the secret function returned with the secret. */
  readonly source?: string | undefined;
  /** Aborted when `handlerTimeoutMs` is over, or the host's time: the events then wait. */
  readonly signal: AbortSignal;
  /** What the store knows of a key. Rejects with `ERR_WEBHOOK_STORE`. */
  readonly stateOf: (idempotencyKey: string) => Promise<KeyState>;
}

/** The option `finality`: says which events may not be handled yet, before any key is claimed. */
export interface Finality {
  /** Throws ConfigError for a receiver with which it cannot keep its promise. */
  check?(options: { readonly enqueue?: unknown; readonly idempotencyKey?: unknown }): void;
  /**
   * Returns why events are not handled now; the others are. Undefined at once if all may be. Whatever it throws lets them
   * all wait.
   */
  before(entries: readonly EventEntry[], context: BeforeContext): Promise<ReadonlyMap<EventEntry, Kept>> | undefined;
}

/** Returns the outcomes of the events that are not handled now. Never rejects: without an answer, events wait. */
export type Before = (
  keys: ReadonlyMap<EventItem, string>,
  about: AboutDelivery,
) => Promise<ReadonlyMap<EventItem, EventOutcome>>;

const NONE: ReadonlyMap<EventItem, EventOutcome> = new Map();
/** When to ask again if nobody says, in ms. */
const ASK_AGAIN_MS = 15_000;

export function createBefore<Tx>(finality: Finality, { once, handlerTimeoutMs, afterwards }: Ground<Tx>): Before {
  return async (keys, { source, host }) => {
    if (keys.size === 0) return NONE;
    const entries = new Map<EventEntry, EventItem>();
    for (const [item, idempotencyKey] of keys) entries.set({ event: item.event, idempotencyKey }, item);
    const limit = new Deadline(handlerTimeoutMs, host);
    const context: BeforeContext = {
      source,
      get signal() {
        return limit.signal;
      },
      // Before the deadline, which does not know that it is the store that hangs.
      stateOf: (key) => probe(once, key, 0.9 * limit.remainingMs()),
    };
    let kept: ReadonlyMap<EventEntry, Kept> | undefined;
    try {
      kept = await limit.run(() => finality.before([...entries.keys()], context), afterwards.hold);
      if (kept === undefined) return NONE;
    } catch (cause) {
      const isLate = cause === limit.error && codeOf(cause) === 'ERR_WEBHOOK_HANDLER_TIMEOUT';
      const why = isLate ? new Error('`finality` did not answer in time.') : cause;
      kept = new Map([...entries.keys()].map((entry) => [entry, notFinal(ASK_AGAIN_MS, why)]));
    }
    const outcomes = new Map<EventItem, EventOutcome>();
    for (const [entry, item] of entries) {
      const why = kept?.get(entry);
      if (why === undefined) continue;
      // Of another copy of the library, perhaps.
      const error = why.error && asWebhookError(why.error);
      outcomes.set(item, { item, idempotencyKey: entry.idempotencyKey, ...why, error });
    }
    return outcomes;
  };
}

/** The outcome of an event that waits. */
export function notFinal(retryAfterMs: number, cause?: unknown): Kept {
  const message = 'The event waits until its block is known to be final.';
  const error = new WebhookError('ERR_WEBHOOK_NOT_FINAL', message, cause === undefined ? {} : { cause });
  return { status: 'not-final', retryAfterMs, error };
}
