import type { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { RunOptions } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import { type Afterwards, Attempt, type Call, type Ground } from './attempt.js';
import { inProgress } from './attempt-errors.js';
import { type AboutDelivery, createEventsContext } from './context.js';
import type { OnEvents } from './options.js';
import { createHandleOnce, groundOf, type RunSettings } from './run-once.js';

/** Runs `onEvents` for the first event of each key, and returns their outcomes in that order. Never rejects. */
export type HandleEach = (items: ReadonlyMap<string, EventItem>, about: AboutDelivery) => Promise<EventOutcome[]>;

export function createHandleEach<Tx>(
  options: RunSettings<Tx> & { readonly onEvents: OnEvents<Tx> },
  afterwards: Afterwards,
): HandleEach {
  const { onEvents } = options;
  const ground = groundOf(options, afterwards);
  const handleOnce = createHandleOnce<Tx>(
    {
      ...options,
      onEvent: (event, { idempotencyKey, ...context }) => onEvents([{ event, idempotencyKey }], context),
    },
    afterwards,
  );

  /** Each event by itself, in a transaction of its own where the store has transactions. */
  async function oneByOne(items: ReadonlyMap<string, EventItem>, about: AboutDelivery): Promise<EventOutcome[]> {
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of items) outcomes.push(await handleOnce(item, { ...about, idempotencyKey }));
    return outcomes;
  }

  return async (items, about) => {
    if (items.size === 0) return [];
    if (!ground.store.onceEach) return oneByOne(items, about);
    const outcomes = await new Promise<EventOutcome[]>((resolve) =>
      new AttemptEach(items, about, onEvents, ground, resolve).start(),
    );
    const isUndone = ground.store.transactional === true && outcomes[0]?.error?.code === 'ERR_WEBHOOK_HANDLER';
    // An event that fails must not hold up the others.
    return isUndone && items.size > 1 ? oneByOne(items, about) : outcomes;
  };
}

/** An attempt to handle several events at once. */
class AttemptEach<Tx> extends Attempt<Tx, EventOutcome[]> {
  readonly #items: ReadonlyMap<string, EventItem>;
  readonly #about: AboutDelivery;
  readonly #onEvents: OnEvents<Tx>;
  /** The keys that the last run got. */
  #fresh: ReadonlySet<string> = new Set();

  constructor(
    items: ReadonlyMap<string, EventItem>,
    about: AboutDelivery,
    onEvents: OnEvents<Tx>,
    ground: Ground<Tx>,
    resolve: (outcomes: EventOutcome[]) => void,
  ) {
    super(ground, resolve);
    this.#items = items;
    this.#about = about;
    this.#onEvents = onEvents;
  }

  protected claim(): Promise<unknown> {
    const { store } = this.ground;
    const run = (fresh: unknown, tx: Tx, options?: RunOptions) => this.#begin(fresh, tx, options);
    // Called as a method: a store may be an instance of a class.
    return store.onceEach?.([...this.#items.keys()], run) as Promise<unknown>;
  }

  #begin(fresh: unknown, tx: Tx, options?: RunOptions): Promise<void> {
    const keys = this.#chosen(fresh);
    if (keys === undefined) {
      return this.misuse('`onceEach` must call `run` with some of its keys, in their order, each of them once.');
    }
    return this.begin(tx, options, () => {
      this.#fresh = keys;
    });
  }

  /** The keys that a store passes to its run; undefined unless they are some of the delivery's, in their order. */
  #chosen(fresh: unknown): ReadonlySet<string> | undefined {
    if (!Array.isArray(fresh) || fresh.length === 0) return undefined;
    const keys = new Set<unknown>(fresh);
    const chosen = [...this.#items.keys()].filter((key) => keys.has(key));
    const isInOrder = chosen.length === fresh.length && chosen.every((key, index) => key === fresh[index]);
    return isInOrder ? new Set(chosen) : undefined;
  }

  protected call({ tx, fencingToken, limit }: Call<Tx>): unknown {
    const entries = [...this.#fresh].map((idempotencyKey) => ({
      event: this.#eventOf(idempotencyKey),
      idempotencyKey,
    }));
    const report = (error: unknown, idempotencyKey?: string) => {
      if (idempotencyKey === undefined) this.report(error);
      else this.#report(error, idempotencyKey);
    };
    return this.#onEvents(entries, createEventsContext(this.#about, tx, fencingToken, limit, report));
  }

  protected events(): readonly WebhookEvent[] {
    return [...this.#fresh].map((key) => this.#eventOf(key));
  }

  #eventOf(key: string): WebhookEvent {
    return (this.#items.get(key) as EventItem).event;
  }

  protected judge(words: unknown): EventOutcome[] | undefined {
    if (!Array.isArray(words) || words.length !== this.#items.size) return undefined;
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of this.#items) {
      const status: unknown = words[outcomes.length];
      if (!this.agrees(status, this.#fresh.has(idempotencyKey))) return undefined;
      outcomes.push({ status, item, idempotencyKey, error: status === 'in-progress' ? inProgress() : undefined });
    }
    return outcomes;
  }

  protected fail(error: WebhookError): EventOutcome[] {
    return [...this.#items].map(([idempotencyKey, item]) => ({ status: 'failed', item, idempotencyKey, error }));
  }

  protected report(error: unknown): void {
    for (const key of this.#fresh) this.#report(error, key);
  }

  #report(error: unknown, idempotencyKey: string): void {
    this.ground.afterwards.report(error, { item: this.#items.get(idempotencyKey), idempotencyKey });
  }
}
