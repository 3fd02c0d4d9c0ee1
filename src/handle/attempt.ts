import { WebhookError } from '../errors.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import type { RunOptions } from '../stores/store.js';
import type { EventOutcome } from './answer.js';
import {
  ASYNCHRONOUS,
  errorOf,
  FROZEN,
  inProgress,
  isMadeFrom,
  outcomeUnknown,
  storeError,
  WRONG_KEYS,
  WRONG_WORD,
} from './attempt-errors.js';
import type { Ground } from './ground.js';
import type { HostTime } from './host-time.js';
import { isPossible, type RunState } from './outcome.js';
import { type Attempted, type Call, chosenOf, type Items, type Task } from './task.js';
import { TimeLimit } from './time-limit.js';
import { traceHandler } from './tracing.js';

/** Makes events take effect once: the store claims their keys and calls the handler. Resolves once, within the time limit. */
export function attempt<Tx>(ground: Ground<Tx>, task: Task<Tx>): Promise<Attempted> {
  return new Promise((resolve) => new Attempt(ground, task, resolve).start());
}

class Attempt<Tx> {
  readonly #ground: Ground<Tx>;
  readonly #task: Task<Tx>;
  readonly #resolve: (attempted: Attempted) => void;
  /** Idle once it was answered: given up, and a later run is refused. */
  #run: RunState = 'idle';
  #isAnswered = false;
  /** The store called its run where it must not. */
  #isMisused = false;
  /** The handler's time ended before it settled. */
  #isLate = false;
  /** The events of the last run, and what it rejected with. */
  #tried: Items = new Map();
  #thrown: unknown;
  #failure: WebhookError | undefined;
  /** A failure of the store inside its run, or why the handler was not begun. */
  #refusal: WebhookError | undefined;
  #handling: Promise<unknown> | undefined;
  #isHeld = false;
  #limit: TimeLimit | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settling: Promise<void> | undefined;

  constructor(ground: Ground<Tx>, task: Task<Tx>, resolve: (attempted: Attempted) => void) {
    this.#ground = ground;
    this.#task = task;
    this.#resolve = resolve;
  }

  get #host(): HostTime | undefined {
    return this.#task.about.host;
  }

  start(): void {
    // Checked before the claim, so that no key is claimed for nothing.
    const refusal = this.#host?.refusal(this.#ground.handlerTimeoutMs);
    if (refusal) {
      this.#fail(refusal);
      return;
    }
    this.#settling = this.#settle();
    // A store in memory has called `run` by now.
    if (this.#run === 'idle') this.#startStoreTimer();
  }

  async #settle(): Promise<void> {
    try {
      const answers = await this.#task.claim((fresh, tx, options) => this.#begin(fresh, tx, options));
      const outcomes = this.#outcomesOf(answers);
      if (outcomes) this.#answer({ outcomes, tried: this.#tried });
      else this.#fail(storeError(new Error(WRONG_WORD, { cause: this.#failure })));
    } catch (cause) {
      this.#fail(this.#failureFor(cause), true);
    }
  }

  /** The outcome of each event; undefined if the store cannot mean its answers. */
  #outcomesOf(answers: unknown): EventOutcome[] | undefined {
    const { items } = this.#task;
    if (!Array.isArray(answers) || answers.length !== items.size) return undefined;
    const outcomes: EventOutcome[] = [];
    const run = this.#isMisused ? 'running' : this.#run;
    for (const [idempotencyKey, item] of items) {
      const answer: unknown = answers[outcomes.length];
      const isFresh = this.#tried.has(idempotencyKey);
      if (!isPossible(answer, run, this.#ground.store.transactional === true, isFresh)) return undefined;
      const status = answer === 'unknown' ? 'failed' : answer;
      outcomes.push({ status, item, idempotencyKey, error: this.#errorFor(answer, idempotencyKey) });
    }
    return outcomes;
  }

  #errorFor(answer: unknown, idempotencyKey: string): WebhookError | undefined {
    if (answer === 'unknown') return outcomeUnknown(idempotencyKey, this.#failure && this.#thrown);
    return answer === 'in-progress' ? inProgress() : undefined;
  }

  /** The failure that the error of a store stands for: the handler's, unless the store says more than that. */
  #failureFor(cause: unknown): WebhookError {
    const failure = this.#failure;
    const isUnknown = WebhookError.codeOf(cause) === 'ERR_WEBHOOK_OUTCOME_UNKNOWN';
    if (failure === undefined || this.#isMisused || isUnknown) return storeError(cause);
    // Only with the handler's error does a transactional store say that it has rolled back.
    const isUndone = this.#isLate || this.#ground.store.transactional !== true || isMadeFrom(cause, this.#thrown);
    return isUndone ? failure : storeError(cause);
  }

  #fail(error: WebhookError, hasRejected = false): void {
    const outcomes = [...this.#task.items].map(
      ([idempotencyKey, item]): EventOutcome => ({ status: 'failed', item, idempotencyKey, error }),
    );
    this.#answer({ outcomes, tried: this.#tried, code: hasRejected ? WebhookError.codeOf(error) : undefined }, error);
  }

  #answer(attempted: Attempted, error?: WebhookError): void {
    // The store settled before its run: the handler keeps its time limit and its place.
    if (this.#run === 'running') this.#hold();
    else clearTimeout(this.#timer);
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#resolve(attempted);
    } else if (REPORTED.has(WebhookError.codeOf(error)) && this.#run !== 'idle') {
      // A late handler failure follows from its timeout, which was reported. A failure to record the key does not.
      this.#report(error);
    }
  }

  /** Keeps the place of a handler that still runs after its event was answered. */
  #hold(): void {
    const handling = this.#handling;
    if (this.#isHeld || handling === undefined) return;
    this.#isHeld = true;
    // Waits for the store afterwards. Registered first, so that the gate is never idle in between.
    const settled = () => this.#waitForStore();
    handling.then(settled, settled);
    this.#ground.afterwards.hold(handling, this.#host);
  }

  #waitForStore(): void {
    if (this.#settling) this.#ground.afterwards.wait(this.#settling, this.#host);
  }

  readonly #report = (error: unknown, idempotencyKey?: string): void => {
    for (const key of idempotencyKey === undefined ? this.#tried.keys() : [idempotencyKey]) {
      this.#ground.afterwards.report(error, { item: this.#task.items.get(key), idempotencyKey: key });
    }
  };

  #startStoreTimer(): void {
    const { storeTimeoutMs } = this.#ground;
    const ms = this.#host === undefined ? storeTimeoutMs : Math.min(storeTimeoutMs, this.#host.answerMs());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#run !== 'idle') this.#waitForStore();
      this.#fail(this.#failure ?? storeError(new Error('The store did not answer in time.')));
    }, ms);
  }

  /** The run for the store. */
  #begin(fresh: unknown, tx: Tx, options?: RunOptions): Promise<void> {
    const running = this.#runFor(fresh, tx, options);
    // If the store does not await its run, a failure must not end the process as an unhandled rejection.
    running.catch(ignore);
    return running;
  }

  /** Called by the store in the synchronous turn in which it checked the clock. */
  async #runFor(fresh: unknown, tx: Tx, options?: RunOptions): Promise<void> {
    const isAgain = this.#limit !== undefined;
    const limit = this.#enter(fresh);
    const events = [...this.#tried.values()].map(({ event }) => event);
    try {
      const ms = this.#timeFor(limit, options, isAgain);
      const call = { fresh: this.#tried, tx, fencingToken: options?.fencingToken, limit, report: this.#report };
      const handling = traceHandler(() => this.#handle(call, ms, options?.onReturn), { events });
      if (handling) await handling;
      // Not of a failure: one event that is slow to fail must not keep the others from being tried.
      this.#host?.took(limit.ms - limit.remainingMs(), events.length);
      this.#run = 'done';
    } catch (cause) {
      this.#thrown = cause;
      this.#failure = this.#refusal ?? errorOf(cause, limit);
      if (!this.#isLate) {
        this.#run = 'failed';
        throw cause;
      }
      await this.#outlast(this.#failure, options);
    } finally {
      if (this.#isAnswered) clearTimeout(this.#timer);
      else this.#startStoreTimer();
    }
  }

  /** Enters a run. Throws if the store must not begin one. */
  #enter(fresh: unknown): TimeLimit {
    const isOver = this.#run === 'done' || this.#run === 'failed';
    const mayBegin = this.#run === 'idle' || (isOver && this.#ground.store.transactional === true);
    if (this.#isAnswered || !mayBegin) {
      // A run after its attempt was given up is late; any other is one too many.
      this.#isMisused ||= this.#run !== 'idle';
      throw new Error('The store called run too late, or more than once.');
    }
    const chosen = chosenOf(this.#task.items, fresh);
    if (chosen === undefined) {
      this.#isMisused = true;
      throw new Error(WRONG_KEYS);
    }
    this.#run = 'running';
    this.#tried = chosen;
    this.#failure = undefined;
    this.#refusal = undefined;
    clearTimeout(this.#timer);
    this.#limit ??= new TimeLimit(this.#ground.handlerTimeoutMs, this.#host);
    return this.#limit;
  }

  /** Returns how long the handler may take, in ms. Throws if its lease or the host's time may end before. */
  #timeFor(limit: TimeLimit, options: RunOptions | undefined, isAgain: boolean): number {
    this.#refusal = isAgain ? undefined : this.#host?.refusal(this.#ground.handlerTimeoutMs, this.#tried.size);
    if (this.#refusal) throw this.#refusal;
    const ms = isAgain ? limit.remainingMs() : limit.ms;
    if (ms <= 0) throw limit.expire();
    // Checked last, as the process can freeze at any point before. One millisecond allows for rounding.
    if ((options?.remainingMs?.() ?? ms) + 1 >= ms) return ms;
    this.#refusal = new WebhookError('ERR_WEBHOOK_STORE', FROZEN);
    throw this.#refusal;
  }

  /** Runs the handler for at most `ms`. Returns undefined if it has returned already. */
  #handle(call: Call<Tx>, ms: number, onReturn: RunOptions['onReturn']): Promise<unknown> | undefined {
    if (onReturn) {
      this.#handleNow(call, onReturn);
      return undefined;
    }
    const returned = this.#task.call(call);
    // Only an object or a function can be a promise.
    if ((typeof returned !== 'object' && typeof returned !== 'function') || returned === null) return undefined;
    const handling = Promise.resolve(returned);
    this.#handling = handling;
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => {
        if (this.#run === 'running') {
          this.#isLate = true;
          reject(call.limit.expire());
        }
      }, ms);
      handling.then(resolve, reject);
    });
  }

  /** Runs a handler whose transaction ends when it returns. */
  #handleNow(call: Call<Tx>, onReturn: (error?: Error) => void): void {
    let failure: { readonly cause: unknown } | undefined;
    try {
      const returned = this.#task.call(call);
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

  /** Answers for a handler that still runs. Its keys stay claimed until it settles or the store releases them. */
  async #outlast(error: WebhookError, options?: RunOptions): Promise<void> {
    this.#fail(error);
    options?.onTimeout?.(error);
    try {
      await this.#handling;
      this.#failure = undefined;
      this.#run = 'done';
    } catch (cause) {
      this.#run = 'failed';
      throw cause;
    }
  }
}

/** Codes of errors that a store may add to an answer that was given. */
const REPORTED = new Set<string | undefined>(['ERR_WEBHOOK_STORE', 'ERR_WEBHOOK_OUTCOME_UNKNOWN']);

function ignore(): void {}
