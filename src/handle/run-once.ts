import type { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import { type Afterwards, Attempt, type Call, type Ground } from './attempt.js';
import { type About, createContext } from './context.js';
import type { HandleOptions, OnEvent } from './types.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;

const NO_STORE: IdempotencyStore<never> = {
  once: (_key, run) => run(undefined as never).then(() => 'handled'),
  onceEach: (keys, run) => run(keys, undefined as never).then(() => keys.map(() => 'handled')),
};

export type RunSettings<Tx> = Pick<HandleOptions<Tx>, 'store' | 'handlerTimeoutMs'>;

export function groundOf<Tx>(options: RunSettings<Tx>, afterwards: Afterwards): Ground<Tx> {
  const store = (options.store || NO_STORE) as IdempotencyStore<Tx>;
  // A handler that outlives its lease would be taken over from while it runs.
  const handlerTimeoutMs = Math.min(options.handlerTimeoutMs, 0.9 * (store.leaseMs || Number.POSITIVE_INFINITY));
  return { store, handlerTimeoutMs, storeTimeoutMs: Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS), afterwards };
}

export function createHandleOnce<Tx>(
  options: RunSettings<Tx> & { readonly onEvent: OnEvent<Tx> | undefined },
  afterwards: Afterwards,
): HandleOnce {
  const ground = groundOf(options, afterwards);
  const { onEvent } = options;
  return (item, about) => new Promise((resolve) => new AttemptOnce(item, about, onEvent, ground, resolve).start());
}

/** An attempt to handle one event. */
class AttemptOnce<Tx> extends Attempt<Tx, EventOutcome> {
  readonly #item: EventItem;
  readonly #about: About;
  readonly #onEvent: OnEvent<Tx> | undefined;

  constructor(
    item: EventItem,
    about: About,
    onEvent: OnEvent<Tx> | undefined,
    ground: Ground<Tx>,
    resolve: (outcome: EventOutcome) => void,
  ) {
    super(ground, about.host, resolve);
    this.#item = item;
    this.#about = about;
    this.#onEvent = onEvent;
  }

  protected claim(): Promise<unknown> {
    return this.ground.store.once(this.#about.idempotencyKey, (tx, options) => this.begin(tx, options));
  }

  protected call({ tx, fencingToken, limit }: Call<Tx>): unknown {
    const report = (error: unknown) => this.report(error);
    return this.#onEvent?.(this.#item.event, createContext(this.#about, tx, fencingToken, limit, report));
  }

  protected events(): readonly WebhookEvent[] {
    return [this.#item.event];
  }

  protected judge(word: unknown): EventOutcome | undefined {
    if (!this.agrees(word)) return undefined;
    const error = this.errorOf(word, this.#about.idempotencyKey);
    return this.#outcome(word === 'unknown' ? 'failed' : word, error);
  }

  protected fail(error: WebhookError): EventOutcome {
    return this.#outcome('failed', error);
  }

  protected report(error: unknown): void {
    const { idempotencyKey } = this.#about;
    this.ground.afterwards.report(error, { item: this.#item, idempotencyKey });
  }

  #outcome(status: EventOutcome['status'], error?: WebhookError): EventOutcome {
    return { status, item: this.#item, idempotencyKey: this.#about.idempotencyKey, error };
  }
}
