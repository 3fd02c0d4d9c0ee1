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

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Gets user code that still runs after its time limit: it occupies a place until it settles. */
  hold(settled: Promise<unknown>): void;
  /** Gets a store call that has not settled yet. */
  wait(settled: Promise<unknown>): void;
  /** Gets later failures, and events that a route skipped. */
  report(error: unknown, context: ErrorContext): void;
}

/** What all attempts of a receiver share. */
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
  '`once` of the store must resolve to handled (after its one run succeeded), duplicate (without a failed run) or in-progress.';

/** One attempt to handle an event once: the store claims its key and calls `run`. Resolves once, within its time limit. */
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

  /** Accepts the store's answer only if it agrees with the outcome of the run. */
  #judge(word: unknown): void {
    const phase = this.#phase;
    const isGood = phase === 'succeeded' && !this.#isMisused;
    if (word === 'handled' && isGood) this.#answer('handled');
    else if (word === 'duplicate' && (isGood || phase === 'claiming')) this.#answer('duplicate');
    else if (word === 'in-progress' && !this.#failure) this.#answer('in-progress', inProgress());
    else this.#answer('failed', storeError(new Error(WRONG_WORD, { cause: this.#failure })));
  }

  #answer(status: EventOutcome['status'], error?: WebhookError): void {
    // The store settled before its run: the handler keeps its time limit and its place.
    if (this.#phase === 'running') this.#hold();
    else clearTimeout(this.#timer);
    if (this.#phase === 'claiming') this.#phase = 'given up';
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#resolve({ status, item: this.#item, idempotencyKey: this.#about.idempotencyKey, error });
    } else if (WebhookError.codeOf(error) === 'ERR_WEBHOOK_STORE' && this.#phase !== 'given up') {
      // A late handler failure follows from its timeout, which was reported. A failure to record the key does not.
      this.report(error);
    }
  }

  /** Reports an error that does not change the answer. */
  report(error: unknown): void {
    const { idempotencyKey } = this.#about;
    this.#ground.afterwards.report(error, { item: this.#item, idempotencyKey });
  }

  /** Called when the store does not answer in time. */
  #giveUp(): void {
    const error = this.#failure ?? storeError(new Error('The store did not answer in time.'));
    if (this.#phase !== 'claiming') this.#waitForStore();
    this.#answer('failed', error);
  }

  /** Keeps the place of a handler that still runs after its event was answered. */
  #hold(): void {
    const handling = this.#handling;
    if (this.#isHeld || handling === undefined) return;
    this.#isHeld = true;
    // Waits for the store afterwards. Registered first, so that the gate is never idle in between.
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

  /** Ends the handler's time; if the run is already over, gives the store one more timeout. */
  #onHandlerTimer(limit: TimeLimit, expire: (error: WebhookError) => void): void {
    if (this.#phase === 'running') {
      this.#isLate = true;
      expire(limit.expire());
    } else {
      this.#setStoreTimer();
    }
  }

  /** Runs the handler within its time limit. */
  async #handle(context: EventContext<Tx>, limit: TimeLimit): Promise<void> {
    const { onEvent, handlerTimeoutMs } = this.#ground;
    const returned: unknown = onEvent?.(this.#item.event, context);
    // Only an object or a function can be a promise.
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
    // If the store does not await its run, a failure must not end the process as an unhandled rejection.
    running.catch(() => {});
    return running;
  }

  /** Called by the store in the synchronous turn in which it checked the clock. */
  async #run(tx: Tx, options?: RunOptions): Promise<void> {
    // Either the event was answered as failed, or the store calls `run` twice.
    if (this.#phase !== 'claiming') {
      this.#isMisused ||= this.#phase !== 'given up';
      throw new Error('The store called run too late, or more than once.');
    }
    this.#phase = 'running';
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { handlerTimeoutMs } = this.#ground;
    const limit = new TimeLimit(handlerTimeoutMs);
    // Checked last, as the process can freeze at any point before. One millisecond allows for rounding.
    const remainingMs = options?.remainingMs?.() ?? handlerTimeoutMs;
    if (!(remainingMs + 1 >= handlerTimeoutMs)) {
      this.#phase = 'failed';
      throw new WebhookError(
        'ERR_WEBHOOK_STORE',
        'The lease may end before the handler: the process was frozen. The event will be redelivered.',
      );
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

  /** Answers for a handler that still runs. Its key stays claimed until it settles or the store releases it. */
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
  return new WebhookError(
    'ERR_WEBHOOK_IN_PROGRESS',
    'The event is being handled elsewhere. Send the delivery again later.',
  );
}

/** The error reported for a failure of user code, whatever it threw. */
export function handlerError(cause: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_HANDLER', 'The handler failed, so the event will be redelivered.', { cause });
}

/** The error of a store: its own if it is a WebhookError of the store. */
function storeError(cause: unknown): WebhookError {
  if (WebhookError.codeOf(cause) === 'ERR_WEBHOOK_STORE') return cause as WebhookError;
  return new WebhookError('ERR_WEBHOOK_STORE', 'The store failed, so the event will be redelivered.', { cause });
}
