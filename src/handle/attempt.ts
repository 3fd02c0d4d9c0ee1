import { WebhookError } from '../errors.js';
import type { WebhookEvent } from '../events/types.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import { LateTimer } from '../internal/late-timer.js';
import type { IdempotencyStore, RunOptions, RunTransaction, StoreWord } from '../stores/store.js';
import {
  ASYNCHRONOUS,
  errorOf,
  FROZEN,
  inProgress,
  isMadeFrom,
  outcomeUnknown,
  storeError,
  WRONG_WORD,
} from './attempt-errors.js';
import type { HostTime } from './host-time.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';
import type { ItemContext } from './types.js';

/** Handles work that continues after an event was answered. */
export interface Afterwards {
  /** Gets user code that still runs after its time limit: it occupies a place until it settles. */
  hold(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets a store call that has not settled yet. */
  wait(settled: Promise<unknown>, host?: HostTime): void;
  /** Gets later failures, and events that a route skipped. */
  report(error: unknown, context: ItemContext): void;
}

/** What all attempts of a receiver share. */
export interface Ground<Tx> {
  readonly store: IdempotencyStore<Tx>;
  readonly handlerTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly afterwards: Afterwards;
}

/** One call of the handler: its transaction and its time limit. */
export interface Call<Tx> {
  readonly tx: Tx;
  readonly fencingToken: bigint | undefined;
  readonly limit: TimeLimit;
}

/**
 * One attempt to make events take effect once: the store claims their keys and calls the handler. Resolves once, within its
 * time limit.
 */
export abstract class Attempt<Tx, Result> {
  protected readonly ground: Ground<Tx>;
  readonly #host: HostTime | undefined;
  readonly #resolve: (result: Result) => void;
  #phase: 'claiming' | 'given up' | 'running' | 'succeeded' | 'failed' = 'claiming';
  #isMisused = false;
  #isAnswered = false;
  #isLate = false;
  #isHeld = false;
  #handling: Promise<unknown> | undefined;
  #limit: TimeLimit | undefined;
  #failure: WebhookError | undefined;
  /** What the last run rejected with. */
  #thrown: unknown;
  /** A failure of the store inside its run, or why the handler was not begun. */
  #refusal: WebhookError | undefined;
  #timer: LateTimer | undefined;
  #settling: Promise<void> | undefined;

  constructor(ground: Ground<Tx>, host: HostTime | undefined, resolve: (result: Result) => void) {
    this.ground = ground;
    this.#host = host;
    this.#resolve = resolve;
  }

  /** Calls the store with a run that calls `begin`. */
  protected abstract claim(): Promise<unknown>;
  /** Calls the handler. */
  protected abstract call(call: Call<Tx>): unknown;
  /** The events that the handler is called with. */
  protected abstract events(): readonly WebhookEvent[];
  /** The result for an answer of the store; undefined if the store cannot mean it. */
  protected abstract judge(answer: unknown): Result | undefined;
  /** The result of a failure. `isSettled`: the store has rejected, and not only its time is over. */
  protected abstract fail(error: WebhookError, isSettled: boolean): Result;
  /** Reports an error that does not change the answer. */
  protected abstract report(error: unknown): void;

  start(): void {
    // Checked before the claim, so that no key is claimed for nothing.
    const refusal = this.#host?.refusal(this.ground.handlerTimeoutMs);
    if (refusal) {
      this.#fail(refusal);
      return;
    }
    this.#settling = this.#settle();
    // A store in memory has called `run` by now.
    if (this.#phase === 'claiming') this.#setStoreTimer();
  }

  async #settle(): Promise<void> {
    try {
      const result = this.judge(await this.claim());
      if (result !== undefined) this.#answer(result);
      else this.#fail(storeError(new Error(WRONG_WORD, { cause: this.#failure })));
    } catch (cause) {
      this.#fail(this.#failureFor(cause), true);
    }
  }

  /** The failure that the error of a store stands for: the handler's, unless the store says more than that. */
  #failureFor(cause: unknown): WebhookError {
    const failure = this.#failure;
    const isUnknown = WebhookError.codeOf(cause) === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
    if (failure === undefined || this.#isMisused || isUnknown) return storeError(cause);
    // Only with the handler's error does a transactional store say that it has rolled back.
    const isUndone = this.#isLate || this.ground.store.transactional !== true || isMadeFrom(cause, this.#thrown);
    return isUndone ? failure : storeError(cause);
  }

  /** Whether the store's word for a key agrees with the outcome of the run, which got the key if `isFresh`. */
  protected agrees(word: unknown, isFresh = true): word is StoreWord {
    const phase = this.#phase;
    const { transactional } = this.ground.store;
    const isGood = phase === 'succeeded' && !this.#isMisused;
    // After a failed run, a transactional store may have found in its next transaction that it need not run again.
    const isUndone = phase === 'claiming' || (transactional === true && phase === 'failed' && !this.#isMisused);
    if (word === 'unknown') return true;
    if (word === 'handled') return isGood && isFresh;
    if (word === 'duplicate') return isGood || isUndone;
    return word === 'in-progress' && (!this.#failure || isUndone);
  }

  /** Why an event with this word is not acknowledged; undefined if it is. */
  protected errorOf(word: StoreWord, idempotencyKey: string): WebhookError | undefined {
    if (word === 'unknown') return outcomeUnknown(idempotencyKey, this.#failure && this.#thrown);
    return word === 'in-progress' ? inProgress() : undefined;
  }

  #fail(error: WebhookError, isSettled = false): void {
    this.#answer(this.fail(error, isSettled), error);
  }

  #answer(result: Result, error?: WebhookError): void {
    // The store settled before its run: the handler keeps its time limit and its place.
    if (this.#phase === 'running') this.#hold();
    else this.#timer?.cancel();
    if (this.#phase === 'claiming') this.#phase = 'given up';
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#resolve(result);
    } else if (REPORTED.has(WebhookError.codeOf(error)) && this.#phase !== 'given up') {
      // A late handler failure follows from its timeout, which was reported. A failure to record the key does not.
      this.report(error);
    }
  }

  /** Called when the store does not answer in time. */
  #giveUp(): void {
    const error = this.#failure ?? storeError(new Error('The store did not answer in time.'));
    if (this.#phase !== 'claiming') this.#waitForStore();
    this.#fail(error);
  }

  /** Keeps the place of a handler that still runs after its event was answered. */
  #hold(): void {
    const handling = this.#handling;
    if (this.#isHeld || handling === undefined) return;
    this.#isHeld = true;
    // Waits for the store afterwards. Registered first, so that the gate is never idle in between.
    const settled = () => this.#waitForStore();
    handling.then(settled, settled);
    this.ground.afterwards.hold(handling, this.#host);
  }

  #waitForStore(): void {
    if (this.#settling) this.ground.afterwards.wait(this.#settling, this.#host);
  }

  #setStoreTimer(): void {
    const { storeTimeoutMs } = this.ground;
    const ms = this.#host === undefined ? storeTimeoutMs : Math.min(storeTimeoutMs, this.#host.answerMs());
    this.#timer = new LateTimer(() => this.#giveUp(), ms);
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

  /** Runs the handler for at most `ms`. Returns undefined if it has returned already. */
  #handle(call: Call<Tx>, ms: number, onReturn: RunOptions['onReturn']): Promise<unknown> | undefined {
    if (onReturn) {
      this.#handleNow(call, onReturn);
      return undefined;
    }
    const returned = this.call(call);
    // Only an object or a function can be a promise.
    if ((typeof returned !== 'object' && typeof returned !== 'function') || returned === null) return undefined;
    const handling = Promise.resolve(returned);
    this.#handling = handling;
    return new Promise((resolve, reject) => {
      this.#timer = new LateTimer(() => this.#onHandlerTimer(call.limit, reject), ms);
      handling.then(resolve, reject);
    });
  }

  /** Runs a handler whose transaction ends when it returns. */
  #handleNow(call: Call<Tx>, onReturn: (error?: Error) => void): void {
    let failure: { readonly cause: unknown } | undefined;
    try {
      const returned = this.call(call);
      if (isThenable(returned)) {
        ignorePromise(returned);
        throw new TypeError(ASYNCHRONOUS);
      }
    } catch (cause) {
      failure = { cause };
    }
    try {
      if (failure) onReturn(errorOf(failure.cause, call.limit));
      else onReturn();
    } catch (cause) {
      this.#refusal = storeError(cause);
      throw cause;
    }
    if (failure) throw failure.cause;
  }

  /** The run for the store. Calls `onEnter` if it may begin. */
  protected begin(tx: RunTransaction<Tx>, options?: RunOptions, onEnter?: () => void): Promise<void> {
    const running = this.#run(tx as Tx, options, onEnter);
    // If the store does not await its run, a failure must not end the process as an unhandled rejection.
    running.catch(ignore);
    return running;
  }

  /** Refuses a run with wrong arguments. */
  protected misuse(message: string): Promise<never> {
    this.#isMisused = true;
    const refused = Promise.reject(new Error(message));
    refused.catch(ignore);
    return refused;
  }

  /** Enters a run. Throws if the store must not begin one. */
  #enter(): TimeLimit {
    const isOver = this.#phase === 'succeeded' || this.#phase === 'failed';
    const isAgain = isOver && !this.#isAnswered && this.ground.store.transactional === true;
    // Either the event was answered as failed, or the store calls `run` twice.
    if (this.#phase !== 'claiming' && !isAgain) {
      this.#isMisused ||= this.#phase !== 'given up';
      throw new Error('The store called run too late, or more than once.');
    }
    this.#phase = 'running';
    this.#failure = undefined;
    this.#refusal = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#limit ??= new TimeLimit(this.ground.handlerTimeoutMs, this.#host);
    return this.#limit;
  }

  /** Returns how long the handler may take, in ms. Throws if its lease or the host's time may end before. */
  #timeFor(limit: TimeLimit, options: RunOptions | undefined, isAgain: boolean): number {
    this.#refusal = isAgain ? undefined : this.#host?.refusal(this.ground.handlerTimeoutMs, this.events().length);
    if (this.#refusal) throw this.#refusal;
    const ms = isAgain ? limit.remainingMs() : limit.ms;
    if (ms <= 0) throw limit.expire();
    // Checked last, as the process can freeze at any point before. One millisecond allows for rounding.
    const remainingMs = options?.remainingMs?.() ?? ms;
    if (remainingMs + 1 >= ms) return ms;
    this.#refusal = new WebhookError('ERR_WEBHOOK_STORE', FROZEN);
    throw this.#refusal;
  }

  /** Called by the store in the synchronous turn in which it checked the clock. */
  async #run(tx: Tx, options?: RunOptions, onEnter?: () => void): Promise<void> {
    const isAgain = this.#limit !== undefined;
    const limit = this.#enter();
    onEnter?.();
    try {
      const ms = this.#timeFor(limit, options, isAgain);
      const call = { tx, fencingToken: options?.fencingToken, limit };
      const handling = traceHandler(() => this.#handle(call, ms, options?.onReturn), { events: this.events() });
      if (handling) await handling;
      // Not of a failure: one event that is slow to fail must not keep the others from being tried.
      this.#host?.took(limit.ms - limit.remainingMs(), this.events().length);
      this.#phase = 'succeeded';
    } catch (cause) {
      const error = this.#refusal ?? errorOf(cause, limit);
      this.#failure = error;
      this.#thrown = cause;
      if (!this.#isLate) {
        this.#phase = 'failed';
        throw cause;
      }
      await this.#outlast(error, options);
    } finally {
      if (this.#isAnswered) this.#timer?.cancel();
      else if (this.#timer === undefined) this.#setStoreTimer();
    }
  }

  /** Answers for a handler that still runs. Its keys stay claimed until it settles or the store releases them. */
  async #outlast(error: WebhookError, options?: RunOptions): Promise<void> {
    this.#fail(error);
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

/** Codes of errors that a store may add to an answer that was given. */
const REPORTED = new Set<string | undefined>(['ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_OUTCOME_UNKNOWN']);

function ignore(): void {}
