import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import type { IdempotencyStore, RunOptions } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import { type About, createContext } from './context.js';
import type { ErrorContext, EventContext, OnEvent } from './options.js';
import type { resolveReceiverOptions } from './resolve-options.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';

/** Takes care of what goes on after an event was answered. */
export interface Afterwards {
  /** User code whose time is up, and which still runs: it takes up a place until it settles. */
  hold(settled: Promise<unknown>): void;
  /** A store that has not settled yet. */
  wait(settled: Promise<unknown>): void;
  /** What goes wrong meanwhile, and what a route passed over. */
  report(error: unknown, context: ErrorContext): void;
}

/** What every attempt of a receiver has in common. */
export interface Ground<Tx> {
  readonly onEvent: OnEvent<Tx> | undefined;
  readonly store: IdempotencyStore<Tx>;
  readonly handlerTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly afterwards: Afterwards;
}

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;

const NO_STORE: IdempotencyStore<never> = {
  once: (_key, run) => run(undefined as never).then(() => 'handled'),
};

export function createHandleOnce<Tx>(
  options: Pick<ReturnType<typeof resolveReceiverOptions<Tx>>, 'onEvent' | 'store' | 'handlerTimeoutMs'>,
  afterwards: Afterwards,
): HandleOnce {
  const { onEvent } = options;
  const store = (options.store || NO_STORE) as IdempotencyStore<Tx>;
  // A handler that outlives its lease would be taken over from while it runs.
  const handlerTimeoutMs = Math.min(options.handlerTimeoutMs, 0.9 * (store.leaseMs || Number.POSITIVE_INFINITY));
  const storeTimeoutMs = Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS);
  const ground: Ground<Tx> = { onEvent, store, handlerTimeoutMs, storeTimeoutMs, afterwards };

  return (item, about) => new Promise((resolve) => new Attempt(item, about, ground, resolve).start());
}

const WRONG_WORD =
  'The store must answer handled (after its one run has succeeded), duplicate (without a failed run) or in-progress.';

/** One attempt to have an event take effect once: the store claims its key and calls `run`. Answers once, in time. */
export class Attempt<Tx> {
  readonly #item: EventItem;
  readonly #about: About;
  readonly #ground: Ground<Tx>;
  readonly #resolve: (outcome: EventOutcome) => void;
  #phase: 'claiming' | 'given up' | 'running' | 'succeeded' | 'failed' = 'claiming';
  #isMisused = false;
  #isAnswered = false;
  #isLate = false;
  #isHeld = false;
  #handling: Promise<unknown> | undefined;
  #failure: WebhookError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settling: Promise<void> | undefined;

  constructor(item: EventItem, about: About, ground: Ground<Tx>, resolve: (outcome: EventOutcome) => void) {
    this.#item = item;
    this.#about = about;
    this.#ground = ground;
    this.#resolve = resolve;
  }

  start(): void {
    this.#settling = this.#settle();
    // A store in memory has called `run` by now.
    if (this.#phase === 'claiming') this.#setStoreTimer();
  }

  async #settle(): Promise<void> {
    const { store } = this.#ground;
    try {
      this.#judge(await store.once(this.#about.idempotencyKey, (tx, options) => this.#begin(tx, options)));
    } catch (cause) {
      this.#answer('failed', this.#failure && !this.#isMisused ? this.#failure : storeError(cause));
    }
  }

  /** Believes a store's word only as far as it agrees with what became of the run. */
  #judge(word: unknown): void {
    const phase = this.#phase;
    const isGood = phase === 'succeeded' && !this.#isMisused;
    if (word === 'handled' && isGood) this.#answer('handled');
    else if (word === 'duplicate' && (isGood || phase === 'claiming')) this.#answer('duplicate');
    else if (word === 'in-progress' && !this.#failure) this.#answer('in-progress', inProgress());
    else this.#answer('failed', storeError(new Error(WRONG_WORD, { cause: this.#failure })));
  }

  #answer(status: EventOutcome['status'], error?: WebhookError): void {
    // A store that settles before its run: the handler keeps its time and its place.
    if (this.#phase === 'running') this.#hold();
    else clearTimeout(this.#timer);
    if (this.#phase === 'claiming') this.#phase = 'given up';
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#resolve({ status, item: this.#item, idempotencyKey: this.#about.idempotencyKey, error });
    } else if (WebhookError.codeOf(error) === 'ERR_WEBHOOK_STORE' && this.#phase !== 'given up') {
      // A handler's late failure follows from its time-out, which was reported; a record that failed does not.
      this.report(error);
    }
  }

  /** Tells `onError` of something that does not decide the answer. */
  report(error: unknown): void {
    const { idempotencyKey } = this.#about;
    this.#ground.afterwards.report(error, { item: this.#item, idempotencyKey });
  }

  /** The store does not answer. */
  #giveUp(): void {
    const error = this.#failure ?? storeError(new Error('The store did not answer in time.'));
    if (this.#phase !== 'claiming') this.#waitForStore();
    this.#answer('failed', error);
  }

  /** Keeps the place of a handler that runs on after its event was answered. */
  #hold(): void {
    const handling = this.#handling;
    if (this.#isHeld || handling === undefined) return;
    this.#isHeld = true;
    // Its store is waited for from then on: first, so that nothing seems idle in between.
    const settled = () => this.#waitForStore();
    handling.then(settled, settled);
    this.#ground.afterwards.hold(handling);
  }

  #waitForStore(): void {
    if (this.#settling) this.#ground.afterwards.wait(this.#settling);
  }

  #setStoreTimer(): void {
    this.#timer = setTimeout(() => this.#giveUp(), this.#ground.storeTimeoutMs);
  }

  /** The handler's time is up, unless the run is over: then one timer more is given to the store. */
  #onHandlerTimer(limit: TimeLimit, expire: (error: WebhookError) => void): void {
    if (this.#phase === 'running') {
      this.#isLate = true;
      expire(limit.expire());
    } else {
      this.#setStoreTimer();
    }
  }

  /** Runs the handler, as long as it has time. */
  async #handle(context: EventContext<Tx>, limit: TimeLimit): Promise<void> {
    const { onEvent, handlerTimeoutMs } = this.#ground;
    const returned: unknown = onEvent?.(this.#item.event, context);
    // Anything but a promise is done already.
    if ((typeof returned !== 'object' && typeof returned !== 'function') || returned === null) return;
    const handling = Promise.resolve(returned);
    this.#handling = handling;
    await new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => this.#onHandlerTimer(limit, reject), handlerTimeoutMs);
      handling.then(resolve, reject);
    });
  }

  #begin(tx: Tx, options?: RunOptions): Promise<void> {
    const running = this.#run(tx, options);
    // A store that does not wait for its run must not end the process with it.
    running.catch(() => {});
    return running;
  }

  /** Called by the store, in the turn in which it has looked at the clock. */
  async #run(tx: Tx, options?: RunOptions): Promise<void> {
    // The event was answered as failed, or its effect may not be the store's to undo.
    if (this.#phase !== 'claiming') {
      this.#isMisused ||= this.#phase !== 'given up';
      throw new Error('The store called run too late, or more than once.');
    }
    this.#phase = 'running';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { handlerTimeoutMs } = this.#ground;
    const limit = new TimeLimit(handlerTimeoutMs);
    // Last, as the process can be frozen at any point before. A millisecond is what clocks and fractions are off.
    const remainingMs = options?.remainingMs?.() ?? handlerTimeoutMs;
    if (!(remainingMs + 1 >= handlerTimeoutMs)) {
      this.#phase = 'failed';
      throw new WebhookError('ERR_WEBHOOK_STORE', 'The lease may end before the handler does: the process was frozen.');
    }
    const report = (error: unknown) => this.report(error);
    const context = createContext(this.#about, tx, options?.fencingToken, limit, report);
    try {
      await traceHandler(() => this.#handle(context, limit), { events: [this.#item.event] });
      this.#phase = 'succeeded';
    } catch (cause) {
      const error = limit.error && cause === limit.error ? limit.error : handlerError(cause);
      this.#failure = error;
      if (!this.#isLate) {
        this.#phase = 'failed';
        throw cause;
      }
      await this.#outlast(error, options);
    } finally {
      if (this.#isAnswered) clearTimeout(this.#timer);
      else if (this.#timer === undefined) this.#setStoreTimer();
    }
  }

  /** Answers for a handler that still runs. Its key stays held until it settles, or for as long as the store holds it. */
  async #outlast(error: WebhookError, options?: RunOptions): Promise<void> {
    this.#answer('failed', error);
    options?.onTimeout?.(error);
    try {
      await this.#handling;
      this.#failure = undefined;
      this.#phase = 'succeeded';
    } catch (cause) {
      this.#phase = 'failed';
      throw cause;
    }
  }
}

function inProgress(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_IN_PROGRESS', 'The event is being handled elsewhere. Send it again later.');
}

/** What a failure of user code is reported as, whatever it claims to be. */
export function handlerError(cause: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event will be redelivered.', { cause });
}

/** A failure of the store: its own words where it has some. */
function storeError(cause: unknown): WebhookError {
  if (WebhookError.codeOf(cause) === 'ERR_WEBHOOK_STORE') return cause as WebhookError;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event will be redelivered.', { cause });
}
