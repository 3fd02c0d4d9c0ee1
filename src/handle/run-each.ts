import type { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { stopwatch } from '../internal/deadline.js';
import type { EventOutcome } from './answer.js';
import { attempt, type Items } from './attempt.js';
import { type About, type AboutDelivery, createContext, createEventsContext } from './context.js';
import { type Afterwards, groundOf, type RunSettings } from './ground.js';
import type { OnEvent, OnEvents } from './types.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;

/** Runs user code for events, and returns the outcome of each, in any order. Never rejects. */
export type HandleEach = (items: Items, about: AboutDelivery) => Promise<EventOutcome[]>;

export function createHandleOnce<Tx>(
  options: RunSettings<Tx> & { readonly onEvent: OnEvent<Tx> | undefined },
  afterwards: Afterwards,
): HandleOnce {
  const ground = groundOf(options, afterwards);
  const { handlerTimeoutMs } = ground;
  return async (item, about) => {
    const { outcomes } = await attempt(ground, {
      items: new Map([[about.idempotencyKey, item]]),
      about,
      handlerTimeoutMs,
      call: ({ tx, fencingToken, limit, report }) =>
        options.onEvent?.(item.event, createContext(about, tx, fencingToken, limit, report)),
    });
    return outcomes[0] as EventOutcome;
  };
}

export function createHandleEach<Tx>(
  options: RunSettings<Tx> & { readonly onEvents: OnEvents<Tx> },
  afterwards: Afterwards,
): HandleEach {
  const { onEvents } = options;
  const ground = groundOf(options, afterwards);

  async function atOnce(items: Items, about: AboutDelivery, search?: Search): Promise<EventOutcome[]> {
    if (items.size === 0) return [];
    const handlerTimeoutMs = search ? search.remainingMs() : ground.handlerTimeoutMs;
    if (search?.isOver() || handlerTimeoutMs <= 0) return failedBy(search?.error, items);
    const { outcomes, tried, code, hasThrown } = await attempt(ground, {
      items,
      about,
      handlerTimeoutMs,
      call({ fresh, tx, fencingToken, limit, report }) {
        const entries = [...fresh].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
        return onEvents(entries, createEventsContext(about, tx, fencingToken, limit, report));
      },
    });
    search?.note(code === undefined);
    // A store that fails without a run would fail again, forever.
    if (!(hasThrown || code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN') || tried.size === 0) return outcomes;
    const isTried = ({ idempotencyKey = '' }: EventOutcome) => tried.has(idempotencyKey);
    const others = new Map([...items].filter(([key]) => !tried.has(key)));
    const own = outcomes.filter(isTried);
    const hasHalves = ground.isTransactional && hasThrown && tried.size > 1;
    return [
      ...(hasHalves
        ? await byHalves(tried, about, search ?? new Search(tried.size, ground.handlerTimeoutMs, own))
        : own),
      ...(await atOnce(others, about, search)),
    ];
  }

  /** An event that fails must not hold up the others. */
  async function byHalves(items: Items, about: AboutDelivery, search: Search): Promise<EventOutcome[]> {
    const entries = [...items];
    const middle = Math.ceil(entries.length / 2);
    return [
      ...(await atOnce(new Map(entries.slice(0, middle)), about, search)),
      ...(await atOnce(new Map(entries.slice(middle)), about, search)),
    ];
  }

  /** As many at once as the store takes. */
  return async (items, about) => {
    const size = Math.min(ground.keysPerRun, items.size);
    const entries = [...items];
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < entries.length; start += size) {
      outcomes.push(...(await atOnce(new Map(entries.slice(start, start + size)), about)));
    }
    return outcomes;
  };
}

/**
 * Looks for the events that fail within events that failed together. It ends when the handler's time is over, or when
 * whatever it runs fails: then the rest fails unrun, with the error of the first run.
 */
class Search {
  readonly error: WebhookError | undefined;
  readonly #most: number;
  readonly #ms: number;
  readonly #elapsedMs = stopwatch();
  #failedInRow = 0;

  constructor(events: number, ms: number, failed: readonly EventOutcome[]) {
    // To one event of them, and a few more.
    this.#most = Math.ceil(Math.log2(events)) + 8;
    this.#ms = ms;
    this.error = failed[0]?.error;
  }

  note(hasSucceeded: boolean): void {
    this.#failedInRow = hasSucceeded ? 0 : this.#failedInRow + 1;
  }

  isOver(): boolean {
    return this.#failedInRow >= this.#most;
  }

  remainingMs(): number {
    return Math.ceil(this.#ms - this.#elapsedMs());
  }
}

function failedBy(error: WebhookError | undefined, items: Items): EventOutcome[] {
  return [...items].map(([idempotencyKey, item]) => ({ status: 'failed', item, idempotencyKey, error }));
}
