import type { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { RunOptions, RunTransaction } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import { type Afterwards, Attempt, type Call, type Ground } from './attempt.js';
import { type AboutDelivery, createEventsContext } from './context.js';
import { createHandleOnce, groundOf, type RunSettings } from './run-once.js';
import type { OnEvents } from './types.js';

/** Events by their keys. */
export type Items = ReadonlyMap<string, EventItem>;

/** Runs user code for events, and returns the outcome of each, in any order. Never rejects. */
export type HandleEach = (items: Items, about: AboutDelivery) => Promise<EventOutcome[]>;

export function createHandleEach<Tx>(
  options: RunSettings<Tx> & { readonly onEvents: OnEvents<Tx> },
  afterwards: Afterwards,
): HandleEach {
  const { onEvents } = options;
  const ground = groundOf(options, afterwards);
  const { keysPerRun } = ground.store;
  const handleOnce = createHandleOnce<Tx>(
    {
      ...options,
      onEvent: (event, { idempotencyKey, ...context }) => onEvents([{ event, idempotencyKey }], context),
    },
    afterwards,
  );

  /** Each event by itself, in its own transaction where the store has transactions. */
  async function oneByOne(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of items) outcomes.push(await handleOnce(item, { ...about, idempotencyKey }));
    return outcomes;
  }

  async function atOnce(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    if (items.size === 0) return [];
    const { outcomes, tried, code } = await new Promise<Tried>((resolve) =>
      new AttemptEach(items, about, onEvents, ground, resolve).start(),
    );
    const isUndone = ground.store.transactional === true && code === 'ERR_WEBHOOK_HANDLER';
    const isUnknown = code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
    // A store that fails without a run would fail again, forever.
    if (!(isUndone || isUnknown) || tried.size === 0) return outcomes;
    // An event that fails must not hold up the others.
    const isTried = ({ idempotencyKey = '' }: EventOutcome) => tried.has(idempotencyKey);
    const others = new Map([...items].filter(([key]) => !tried.has(key)));
    return [
      ...(isUnknown || tried.size === 1 ? outcomes.filter(isTried) : await oneByOne(tried, about)),
      ...(await atOnce(others, about)),
    ];
  }

  /** As many at once as the store takes. */
  async function inParts(items: Items, about: AboutDelivery): Promise<EventOutcome[]> {
    const size = Math.floor(keysPerRun ?? items.size);
    const entries = [...items];
    const outcomes: EventOutcome[] = [];
    for (let start = 0; start < entries.length; start += size) {
      outcomes.push(...(await atOnce(new Map(entries.slice(start, start + size)), about)));
    }
    return outcomes;
  }

  return ground.store.onceEach ? inParts : oneByOne;
}

interface Tried {
  readonly outcomes: EventOutcome[];
  /** The events that the handler was called with. */
  readonly tried: Items;
  /** The code of the failure of all of them, if the store has rejected. */
  readonly code?: string | undefined;
}

/** An attempt to handle several events at once. */
class AttemptEach<Tx> extends Attempt<Tx, Tried> {
  /** The events that the last run got. */
  #tried: Items = new Map();
  readonly #items: Items;
  readonly #about: AboutDelivery;
  readonly #onEvents: OnEvents<Tx>;

  constructor(
    items: Items,
    about: AboutDelivery,
    onEvents: OnEvents<Tx>,
    ground: Ground<Tx>,
    resolve: (tried: Tried) => void,
  ) {
    super(ground, about.host, resolve);
    this.#items = items;
    this.#about = about;
    this.#onEvents = onEvents;
  }

  protected claim(): Promise<unknown> {
    const { store } = this.ground;
    const run = (fresh: unknown, tx: RunTransaction<Tx>, options?: RunOptions) => this.#begin(fresh, tx, options);
    // Called as a method: a store may be an instance of a class.
    return store.onceEach?.([...this.#items.keys()], run) as Promise<unknown>;
  }

  #begin(fresh: unknown, tx: RunTransaction<Tx>, options?: RunOptions): Promise<void> {
    const chosen = this.#chosen(fresh);
    if (chosen === undefined) {
      return this.misuse('`onceEach` must call `run` with some of its keys, in their order, each of them once.');
    }
    return this.begin(tx, options, () => {
      this.#tried = chosen;
    });
  }

  /** The events of the keys that a store passes to its run; undefined unless they are some of its keys, in their order. */
  #chosen(fresh: unknown): Items | undefined {
    if (!Array.isArray(fresh) || fresh.length === 0) return undefined;
    const chosen = new Map<string, EventItem>();
    for (const [key, item] of this.#items) if (key === fresh[chosen.size]) chosen.set(key, item);
    return chosen.size === fresh.length ? chosen : undefined;
  }

  protected call({ tx, fencingToken, limit }: Call<Tx>): unknown {
    const entries = [...this.#tried].map(([idempotencyKey, { event }]) => ({ event, idempotencyKey }));
    const report = (error: unknown, idempotencyKey?: string) => {
      if (idempotencyKey === undefined) this.report(error);
      else this.#report(error, idempotencyKey);
    };
    return this.#onEvents(entries, createEventsContext(this.#about, tx, fencingToken, limit, report));
  }

  protected events(): readonly WebhookEvent[] {
    return [...this.#tried.values()].map(({ event }) => event);
  }

  protected judge(words: unknown): Tried | undefined {
    if (!Array.isArray(words) || words.length !== this.#items.size) return undefined;
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of this.#items) {
      const word: unknown = words[outcomes.length];
      if (!this.agrees(word, this.#tried.has(idempotencyKey))) return undefined;
      const error = this.errorOf(word, idempotencyKey);
      outcomes.push({ status: word === 'unknown' ? 'failed' : word, item, idempotencyKey, error });
    }
    return { outcomes, tried: this.#tried };
  }

  protected fail(error: WebhookError, isSettled: boolean): Tried {
    const outcomes = [...this.#items].map(
      ([idempotencyKey, item]): EventOutcome => ({ status: 'failed', item, idempotencyKey, error }),
    );
    return { outcomes, tried: this.#tried, code: isSettled ? error.code : undefined };
  }

  protected report(error: unknown): void {
    for (const key of this.#tried.keys()) this.#report(error, key);
  }

  #report(error: unknown, idempotencyKey: string): void {
    this.ground.afterwards.report(error, { item: this.#items.get(idempotencyKey), idempotencyKey });
  }
}
