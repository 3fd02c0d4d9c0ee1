import type { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { stopwatch } from '../internal/deadline.js';
import { type EventOutcome, type Items, outcomesOf } from './answer.js';
import { attempt } from './attempt.js';
import { type AboutDelivery, createContext } from './context.js';
import type { Ground } from './ground.js';
import type { EventEntry, OnEvent, OnEvents } from './types.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, idempotencyKey: string, about: AboutDelivery) => Promise<EventOutcome>;

/** Runs user code for events, and returns the outcome of each, in any order. Never rejects. */
export type HandleEach = (items: Items, about: AboutDelivery) => Promise<EventOutcome[]>;

export function entriesOf(items: Items): EventEntry[] {
  return [...items].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
}

export function createHandleOnce<Tx>(ground: Ground<Tx>, onEvent: OnEvent<Tx>): HandleOnce {
  const { handlerTimeoutMs } = ground;
  return async (item, idempotencyKey, about) => {
    const { outcomes } = await attempt(ground, {
      items: new Map([[idempotencyKey, item]]),
      about,
      handlerTimeoutMs,
      call: (_, run) => onEvent(item.event, createContext(about, run, idempotencyKey)),
    });
    return outcomes[0] as EventOutcome;
  };
}

export function createHandleEach<Tx>(ground: Ground<Tx>, onEvents: OnEvents<Tx>): HandleEach {
  async function atOnce(items: Items, about: AboutDelivery, search?: Search): Promise<EventOutcome[]> {
    if (items.size === 0) return [];
    const handlerTimeoutMs = search ? search.remainingMs() : ground.handlerTimeoutMs;
    if (handlerTimeoutMs <= 0) return outcomesOf(items, 'failed', search?.error);
    const { outcomes, tried, code, hasThrown } = await attempt(ground, {
      items,
      about,
      handlerTimeoutMs,
      call: (fresh, run) => onEvents(entriesOf(fresh), createContext(about, run)),
    });
    search?.note(code === undefined);
    // A store that failed without a run would fail again.
    if (!(hasThrown || code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN') || tried.size === 0) return outcomes;
    const own = outcomes.filter(({ idempotencyKey = '' }) => tried.has(idempotencyKey));
    const others = new Map([...items].filter(([key]) => !tried.has(key)));
    // One failing event must not block the others. Without a transaction, all may have had effects.
    const isDivided = (ground.isTransactional || ground.letters) && hasThrown && tried.size > 1;
    const size = ground.isTransactional ? Math.ceil(tried.size / 2) : 1;
    const within = search ?? new Search(tried.size, ground.handlerTimeoutMs, own[0]?.error);
    const found = isDivided ? await inParts(tried, size, about, within) : own;
    return [...found, ...(await atOnce(others, about, search))];
  }

  async function inParts(items: Items, size: number, about: AboutDelivery, search?: Search): Promise<EventOutcome[]> {
    const entries = [...items];
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < entries.length; start += size) {
      outcomes.push(...(await atOnce(new Map(entries.slice(start, start + size)), about, search)));
    }
    return outcomes;
  }

  /** As many keys at once as the store takes. */
  return (items, about) => inParts(items, Math.min(ground.keysPerRun, items.size), about);
}

/**
 * Limits the search for the failing events among events that failed together. The search ends when the handler's time
 * is over, or after too many failed runs in a row; the remaining events then fail with the error of the first run.
 */
class Search {
  readonly error: WebhookError | undefined;
  readonly #most: number;
  readonly #ms: number;
  readonly #elapsedMs = stopwatch();
  #failedInRow = 0;

  constructor(events: number, ms: number, error: WebhookError | undefined) {
    // Enough runs to halve down to one event, and a few more.
    this.#most = Math.ceil(Math.log2(events)) + 8;
    this.#ms = ms;
    this.error = error;
  }

  note(hasSucceeded: boolean): void {
    this.#failedInRow = hasSucceeded ? 0 : this.#failedInRow + 1;
  }

  /** How long the search may continue. */
  remainingMs(): number {
    return this.#failedInRow >= this.#most ? 0 : Math.ceil(this.#ms - this.#elapsedMs());
  }
}
