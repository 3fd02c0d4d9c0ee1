import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import type { Claimed } from '../stores/store.js';
import { type EventOutcome, type Items, outcomesOf } from './answer.js';
import {
  codeOf,
  errorOf,
  FROZEN,
  inProgress,
  isMadeFrom,
  isOfStore,
  LATE,
  outcomeUnknown,
  storeFailure,
  WRONG_KEYS,
  WRONG_WORD,
} from './attempt-errors.js';
import type { AboutDelivery, AboutRun } from './context.js';
import { Deadline } from './deadline.js';
import type { Ground } from './ground.js';
import { isPossible, type RunState } from './outcome.js';
import { stepOf } from './step.js';
import { traceHandler } from './tracing.js';

/** The work of one attempt. */
export interface Task<Tx> {
  readonly items: Items;
  readonly about: AboutDelivery;
  readonly handlerTimeoutMs: number;
  /** Calls the handler with the events whose keys the store claimed. */
  call(fresh: Items, run: AboutRun<Tx>): unknown;
}

/** The result of an attempt. */
export interface Attempted {
  readonly outcomes: EventOutcome[];
  /** The events that the handler was called with. */
  readonly tried: Items;
  /** The error code of all events, if the store rejected. */
  readonly code?: string | undefined;
  /** Whether the store confirmed that the handler failed: a transactional store has then rolled back its run. */
  readonly hasThrown?: boolean;
}

/** Why the last run failed: what the handler threw, and the error to report. */
interface Failure {
  readonly thrown: unknown;
  readonly error: WebhookError;
}

/** Handles events once: the store claims their keys and runs the handler. Resolves within the time limit. */
export function attempt<Tx>(ground: Ground<Tx>, task: Task<Tx>): Promise<Attempted> {
  return new Promise((resolve) => new Attempt(ground, task, resolve).start());
}

class Attempt<Tx> {
  readonly #ground: Ground<Tx>;
  readonly #task: Task<Tx>;
  readonly #limit: Deadline;
  #resolve: ((attempted: Attempted) => void) | undefined;
  #run: RunState = 'idle';
  /** The events of the last run. */
  #tried: Items = new Map();
  #failure: Failure | undefined;
  /** Set if the first run was not started because earlier runs of these events never ended. */
  #abandoned: (Error & { readonly items: Items }) | undefined;
  /** The abandoned events that have become dead letters. */
  #dead: ReadonlyMap<string, EventOutcome> = new Map();
  /** The handler's promise, until `hold` takes it. */
  #handling: Promise<unknown> | undefined;
  #settling: Promise<void> | undefined;
  #handlerTimer: ReturnType<typeof setTimeout> | undefined;
  #storeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ground: Ground<Tx>, task: Task<Tx>, resolve: (attempted: Attempted) => void) {
    this.#ground = ground;
    this.#task = task;
    this.#resolve = resolve;
    this.#limit = new Deadline(task.handlerTimeoutMs, task.about.host);
    this.#limit.report = (error) => this.#report(error);
  }

  start(): void {
    // Checked before the claim, so that no key is claimed for nothing.
    if (this.#limit.error) {
      this.#fail(this.#limit.error);
      return;
    }
    const hostMs = this.#task.about.host?.answerMs() ?? Number.POSITIVE_INFINITY;
    this.#storeTimer = setTimeout(
      () => {
        if (this.#run !== 'idle') this.#waitForStore();
        this.#fail(this.#failure?.error ?? storeFailure(new Error('The store did not answer in time.')));
      },
      Math.min(this.#ground.storeTimeoutMs, hostMs),
    );
    this.#settling = this.#settle();
  }

  readonly #waitForStore = (): void => {
    if (this.#settling) this.#ground.afterwards.wait(this.#settling, this.#task.about.host);
  };

  async #settle(): Promise<void> {
    const { about } = this.#task;
    const keys = [...this.#task.items.keys()].filter((key) => !this.#dead.has(key));
    try {
      const step = about.step ?? stepOf(this.#ground, this.#task.items, about);
      const words = keys.length > 0 ? await this.#ground.once(keys, step, this.#begin, this.#limit) : NO_WORDS;
      const outcomes = this.#outcomesOf(words);
      if (outcomes) await this.#count({ outcomes, tried: this.#tried });
      else this.#fail(storeFailure(new Error(WRONG_WORD, { cause: this.#failure?.error })));
    } catch (cause) {
      if (this.#abandoned && cause === this.#abandoned) {
        this.#dead = (await this.#ground.letters?.abandoned(this.#abandoned.items, about)) ?? this.#dead;
        return this.#settle();
      }
      const error = this.#failureFor(cause);
      const code = codeOf(error);
      const isConflict = this.#failure !== undefined && isMadeFrom(cause, this.#failure.thrown);
      const hasThrown = code === 'ERR_WEBHOOK_HANDLER' || (code === 'ERR_WEBHOOK_STORE' && isConflict);
      await this.#count({ outcomes: this.#failed(error), tried: this.#tried, code, hasThrown }, error);
    }
  }

  /** Counts failures, now that the store has released the run, then answers; at once if there is nothing to count. */
  async #count({ outcomes, tried, ...more }: Attempted, cause?: WebhookError): Promise<void> {
    const { letters } = this.#ground;
    const hasFailed = letters && outcomes.some(({ error }) => error !== undefined);
    const counted = hasFailed ? await letters.settle(outcomes, tried, this.#task.about) : outcomes;
    this.#answer({ outcomes: counted, tried, ...more }, cause);
  }

  /** The outcome of each event; undefined if the store's answers are impossible. */
  #outcomesOf(words: ReadonlyMap<string, unknown>): EventOutcome[] | undefined {
    const outcomes: EventOutcome[] = [];
    for (const [idempotencyKey, item] of this.#task.items) {
      const dead = this.#dead.get(idempotencyKey);
      if (dead) outcomes.push(dead);
      if (dead) continue;
      const word = words.get(idempotencyKey);
      const isFresh = this.#tried.has(idempotencyKey);
      if (!isPossible(word, this.#run, this.#ground.isTransactional, isFresh)) return undefined;
      let error: WebhookError | undefined;
      if (word === 'unknown') error = outcomeUnknown(idempotencyKey, this.#failure?.thrown);
      else if (word === 'in-progress') error = inProgress();
      outcomes.push({ status: word === 'unknown' ? 'failed' : word, item, idempotencyKey, error });
    }
    return outcomes;
  }

  /** The error to report when the store rejects: the handler's, unless the store has its own. */
  #failureFor(cause: unknown): WebhookError {
    const late = this.#limit.error;
    if (late && this.#isOfTime(cause)) return late;
    const failure = this.#failure;
    // The store's own error takes precedence over what the handler threw.
    if (failure === undefined || (cause !== failure.thrown && isOfStore(cause))) return storeFailure(cause);
    // A transactional store confirms a rollback only by rejecting with the handler's error.
    const isUndone = late !== undefined || !this.#ground.isTransactional || isMadeFrom(cause, failure.thrown);
    return isUndone ? failure.error : storeFailure(cause);
  }

  /** Whether an error only reports that the time is over, such as the error of an aborted call. */
  #isOfTime(cause: unknown): boolean {
    return this.#limit.error !== undefined && isMadeFrom(cause, this.#limit.error);
  }

  #fail(error: WebhookError): void {
    this.#answer({ outcomes: this.#failed(error), tried: this.#tried }, error);
  }

  #failed(error: WebhookError): EventOutcome[] {
    const outcomes = outcomesOf(this.#task.items, 'failed', error);
    return outcomes.map((outcome) => this.#dead.get(outcome.idempotencyKey as string) ?? outcome);
  }

  /** Only the first answer counts. The store may later report that an effect was not recorded. */
  #answer(attempted: Attempted, error?: WebhookError): void {
    clearTimeout(this.#storeTimer);
    // The store may settle before its run.
    if (this.#run === 'running' || this.#run === 'late') this.#hold();
    if (this.#resolve) this.#resolve(attempted);
    else if (this.#run !== 'idle' && isOfStore(error)) this.#report(error);
    this.#resolve = undefined;
  }

  /** Keeps the place of a handler that still runs after its events were answered. */
  #hold(): void {
    const handling = this.#handling;
    if (handling === undefined) return;
    this.#handling = undefined;
    // Waits for the store afterwards. Registered first, so that the gate is never idle in between.
    handling.then(this.#waitForStore, this.#waitForStore);
    this.#ground.afterwards.hold(handling, this.#task.about.host);
  }

  readonly #report = (error: unknown, idempotencyKey?: string): void => {
    for (const key of idempotencyKey === undefined ? this.#tried.keys() : [idempotencyKey]) {
      this.#ground.afterwards.report(error, { item: this.#task.items.get(key), idempotencyKey: key });
    }
  };

  /** The run, which the store calls in the same synchronous turn as it claims. */
  readonly #begin = (fresh: ReadonlyMap<string, Claimed>, tx: Tx): void | Promise<void> => {
    this.#checkEarlier(fresh);
    this.#enter(fresh);
    // The process may have been frozen at any point before. Negated, so that a clock that returns NaN fails.
    if (!(this.#limit.remainingMs() > 0)) {
      const error = new WebhookError('ERR_WEBHOOK_STORE', FROZEN);
      throw this.#hasFailed({ thrown: error, error });
    }
    try {
      const run = { tx, fencingToken: least(fresh), limit: this.#limit, report: this.#report };
      const events = [...this.#tried.values()].map(({ event }) => event);
      const returned = traceHandler(() => this.#task.call(this.#tried, run), { events }, this.#limit);
      if (isThenable(returned)) return this.#follow(Promise.resolve(returned));
      this.#done();
    } catch (thrown) {
      throw this.#hasFailed({ thrown, error: errorOf(thrown, this.#limit) });
    }
  };

  /** Throws once if earlier runs of the keys never ended, so that those are counted before the next run. */
  #checkEarlier(fresh: ReadonlyMap<string, Claimed>): void {
    if (this.#ground.letters === undefined || this.#abandoned) return;
    const items = new Map([...this.#task.items].filter(([key]) => fresh.get(key)?.abandoned));
    if (items.size === 0) return;
    this.#abandoned = Object.assign(new Error('An earlier run did not end.'), { items });
    throw this.#abandoned;
  }

  /** Starts a run. Throws if the store must not start one. */
  #enter(fresh: ReadonlyMap<string, Claimed>): void {
    const isOver = this.#run === 'done' || this.#run === 'failed';
    const mayBegin = this.#run === 'idle' || (isOver && this.#ground.isTransactional);
    if (this.#resolve === undefined || !mayBegin) throw new Error(LATE);
    const tried = new Map<string, EventItem>();
    for (const [key, item] of this.#task.items) if (fresh.has(key)) tried.set(key, item);
    if (tried.size === 0 || tried.size !== fresh.size) throw new Error(WRONG_KEYS);
    this.#run = 'running';
    this.#tried = tried;
    this.#failure = undefined;
  }

  /** Waits for a handler that returned a promise, even after its time is over. */
  #follow(handling: Promise<unknown>): Promise<void> {
    this.#handling = handling;
    this.#handlerTimer = setTimeout(() => {
      const error = this.#limit.expire();
      this.#run = 'late';
      this.#failure = { thrown: error, error };
      this.#fail(error);
    }, this.#limit.remainingMs());
    const running = handling.then(
      () => this.#done(),
      (thrown: unknown) => {
        throw this.#hasFailed({ thrown, error: errorOf(thrown, this.#limit) });
      },
    );
    // A store that does not await its run must not end the process.
    ignorePromise(running);
    return running;
  }

  #done(): void {
    clearTimeout(this.#handlerTimer);
    this.#run = 'done';
    this.#failure = undefined;
    this.#handling = undefined;
  }

  /** Returns the error for the store: what the handler threw, or the timeout error if the handler was late. */
  #hasFailed(failure: Failure): unknown {
    clearTimeout(this.#handlerTimer);
    if (this.#run !== 'late') this.#failure = failure;
    // The events of this run are already answered.
    if (this.#resolve === undefined && !this.#isOfTime(failure.thrown)) this.#report(failure.error);
    this.#run = 'failed';
    this.#handling = undefined;
    return failure.thrown;
  }
}

const NO_WORDS: ReadonlyMap<string, unknown> = new Map();

/** The smallest of the fencing tokens: an effect fenced with it never counts as newer than a claim of these keys. */
function least(fresh: ReadonlyMap<string, Claimed>): bigint | undefined {
  const tokens = [...fresh.values()].flatMap(({ token }) => token ?? []);
  return tokens.length === 0 ? undefined : tokens.reduce((least, token) => (token < least ? token : least));
}
