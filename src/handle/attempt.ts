import { WebhookError } from '../errors.js';
import type { EventItem } from '../events/parse-delivery.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import { withDeadline } from '../internal/time.js';
import type { Claimed } from '../stores/store.js';
import { type EventOutcome, type Items, outcomesOf } from './answer.js';
import type { AboutDelivery, AboutRun } from './context.js';
import { ANSWER_MS, Deadline, hostMs } from './deadline.js';
import type { Shared } from './once.js';
import {
  type Attempted,
  errorOf,
  isMadeFrom,
  isOfStore,
  isPossible,
  outcomeUnknown,
  type RunState,
  storeFailure,
  WRONG_WORD,
} from './outcome.js';
import { traceHandler } from './tracing.js';

/** The work of one attempt. */
export interface Task<Tx> {
  readonly items: Items;
  readonly about: AboutDelivery;
  readonly handlerTimeoutMs: number;
  /** Calls the handler with the events whose keys the store claimed. */
  call(fresh: Items, about: AboutDelivery, run: AboutRun<Tx>): unknown;
}

type Failed = NonNullable<Attempted['failed']>;

/** Handles events once: the store claims their keys and runs the handler. Resolves within twice the time limit. */
export function attempt<Tx>(shared: Shared<Tx>, task: Task<Tx>): Promise<Attempted> {
  return new Promise((resolve) => new Attempt(shared, task, resolve).start());
}

class Attempt<Tx> {
  readonly #shared: Shared<Tx>;
  readonly #task: Task<Tx>;
  readonly #limit: Deadline;
  /** Undefined once the events were answered. */
  #resolve: ((attempted: Attempted) => void) | undefined;
  #run: RunState = 'idle';
  /** The events of the last run. */
  #tried: Items = NONE;
  /** What the last run failed with. */
  #failure: { readonly thrown: unknown } | undefined;
  /** Events whose earlier runs never ended, if this kept the first run from starting. */
  #abandoned: Items = NONE;
  #handling: Promise<unknown> | undefined;
  #settling: Promise<void> | undefined;
  #storeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(shared: Shared<Tx>, task: Task<Tx>, resolve: (attempted: Attempted) => void) {
    this.#shared = shared;
    this.#task = task;
    this.#resolve = resolve;
    this.#limit = new Deadline(task.handlerTimeoutMs, task.about.host);
    this.#limit.report = this.#report;
  }

  start(): void {
    // Checked before the claim, so that no key is claimed for nothing.
    if (this.#limit.error) {
      this.#answer(this.#failed('store', this.#limit.error));
      return;
    }
    this.#storeTimer = setTimeout(
      () => {
        const silent = storeFailure(new Error('The store did not answer in time.'));
        const error = this.#failure ? errorOf(this.#failure.thrown, this.#limit) : silent;
        this.#answer(this.#failed('store', error), this.#run !== 'idle');
      },
      Math.min(2 * this.#task.handlerTimeoutMs, MAX_TIMER_MS, hostMs(this.#task.about.host, ANSWER_MS)),
    );
    this.#settling = this.#settle();
  }

  /** Asks the store, counts failures once it has released the run, then answers. */
  async #settle(): Promise<void> {
    const { items, about } = this.#task;
    const { once, stepOf, countFailures } = this.#shared;
    let attempted: Attempted;
    try {
      const words = await once([...items.keys()], about.step ?? stepOf(items, about), this.#begin, this.#limit);
      attempted = { outcomes: this.#outcomesOf(words), tried: this.#tried };
    } catch (cause) {
      attempted = this.#failedBy(cause);
    }
    const outcomes = countFailures ? await countFailures(attempted, about) : attempted.outcomes;
    this.#answer({ ...attempted, outcomes });
  }

  /** The outcome of each event. Throws if the store's answers are impossible. */
  #outcomesOf(words: ReadonlyMap<string, unknown>): EventOutcome[] {
    return [...this.#task.items].map(([idempotencyKey, item]) => {
      const word = words.get(idempotencyKey);
      if (!isPossible(word, this.#run, this.#shared.isTransactional, this.#tried.has(idempotencyKey))) {
        throw storeFailure(new Error(WRONG_WORD));
      }
      if (word === 'unknown') {
        return { status: 'failed', item, idempotencyKey, error: outcomeUnknown(idempotencyKey, this.#failure?.thrown) };
      }
      return { status: word, item, idempotencyKey, error: word === 'in-progress' ? inProgress() : undefined };
    });
  }

  /** The result if the store rejects. */
  #failedBy(cause: unknown): Attempted {
    if (this.#abandoned.size > 0) {
      return this.#failed('abandoned', new WebhookError('ERR_WEBHOOK_HANDLER', ABANDONED), this.#abandoned);
    }
    const error = this.#failureFor(cause);
    const code = WebhookError.codeOf(error);
    // A conflict in the handler's statements, rather than a run that was too late to start.
    const isConflict =
      code === 'ERR_WEBHOOK_STORE' && !this.#limit.error && this.#failure && isMadeFrom(cause, this.#failure.thrown);
    if (code === 'ERR_WEBHOOK_HANDLER' || isConflict) return this.#failed('handler', error);
    return this.#failed(code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN' ? 'unknown' : 'store', error);
  }

  /** The error to report when the store rejects: the handler's, unless the store has its own. */
  #failureFor(cause: unknown): WebhookError {
    const late = this.#limit.error;
    if (late && isMadeFrom(cause, late)) return late;
    const failure = this.#failure;
    // The store's own error takes precedence over what the handler threw.
    if (failure === undefined || (cause !== failure.thrown && isOfStore(cause))) return storeFailure(cause);
    // A transactional store confirms a rollback only by rejecting with the handler's error.
    const isUndone = late !== undefined || !this.#shared.isTransactional || isMadeFrom(cause, failure.thrown);
    return isUndone ? errorOf(failure.thrown, this.#limit) : storeFailure(cause);
  }

  /** Whether an error only reports that the time is over, such as the error of an aborted call. */
  #isOfTime(cause: unknown): boolean {
    return this.#limit.error !== undefined && isMadeFrom(cause, this.#limit.error);
  }

  #failed(by: Failed['by'], error: WebhookError, items = this.#task.items): Attempted {
    return { outcomes: outcomesOf(items, 'failed', error), tried: this.#tried, failed: { by, error } };
  }

  /** Only the first answer counts. The store may later report that an effect was not recorded. */
  #answer(attempted: Attempted, continues = this.#run === 'running' || this.#run === 'late'): void {
    clearTimeout(this.#storeTimer);
    if (this.#resolve) {
      // What continues keeps its place. A store may settle before its run.
      if (continues) {
        const settled = Promise.allSettled([this.#handling, this.#settling]);
        this.#shared.afterwards.hold(settled, this.#task.about.host);
      }
      this.#resolve(attempted);
    } else if (attempted.failed && isOfStore(attempted.failed.error)) this.#report(attempted.failed.error);
    this.#resolve = undefined;
  }

  readonly #report = (error: unknown, idempotencyKey?: string): void => {
    for (const key of idempotencyKey === undefined ? this.#tried.keys() : [idempotencyKey]) {
      this.#shared.afterwards.report(error, { item: this.#task.items.get(key), idempotencyKey: key });
    }
  };

  /** The run, which the store calls in the same synchronous turn as it claims. */
  readonly #begin = (fresh: ReadonlyMap<string, Claimed>, tx: Tx): void | Promise<void> => {
    this.#enter(fresh);
    // The process may have been frozen at any point before. Negated, so that a clock that returns NaN fails.
    if (!(this.#limit.remainingMs() > 0)) {
      this.#limit.error ??= new WebhookError('ERR_WEBHOOK_STORE', FROZEN);
      throw this.#failedWith(this.#limit.error);
    }
    try {
      const run = { tx, fencingToken: least(fresh), limit: this.#limit, report: this.#report };
      const work = () => this.#task.call(this.#tried, this.#task.about, run);
      const returned = traceHandler(work, this.#tried, this.#limit);
      if (isThenable(returned)) return this.#follow(Promise.resolve(returned));
      this.#run = 'done';
    } catch (thrown) {
      throw this.#failedWith(thrown);
    }
  };

  /** Starts a run. Throws if the store must not start one, or if failures of earlier runs must be counted first. */
  #enter(fresh: ReadonlyMap<string, Claimed>): void {
    const { items } = this.#task;
    const isOver = this.#run === 'done' || this.#run === 'failed';
    const mayBegin = this.#run === 'idle' || (isOver && this.#shared.isTransactional);
    if (this.#resolve === undefined || !mayBegin) throw new Error(LATE);
    const tried = new Map<string, EventItem>();
    for (const [key, item] of items) if (fresh.has(key)) tried.set(key, item);
    if (tried.size === 0 || tried.size !== fresh.size) throw new Error(WRONG_KEYS);
    if (this.#shared.countFailures) this.#abandoned = new Map([...tried].filter(([key]) => fresh.get(key)?.abandoned));
    if (this.#abandoned.size > 0) throw new Error(ABANDONED);
    this.#run = 'running';
    this.#tried = tried;
    this.#failure = undefined;
  }

  /** Waits for a handler that returned a promise, even after its time is over. */
  #follow(handling: Promise<unknown>): Promise<void> {
    this.#handling = handling;
    const late = withDeadline(handling, this.#limit.remainingMs(), () => {
      const error = this.#limit.expire();
      this.#run = 'late';
      this.#failure = { thrown: error };
      this.#answer(this.#failed('store', error));
      return error;
    });
    const running = handling.then(
      () => {
        this.#run = 'done';
        this.#failure = undefined;
      },
      (thrown: unknown) => {
        throw this.#failedWith(thrown);
      },
    );
    // A store that does not await its run must not end the process.
    for (const each of [late, running]) ignorePromise(each);
    return running;
  }

  /** Returns the error for the store: what the handler threw. */
  #failedWith(thrown: unknown): unknown {
    if (this.#run !== 'late') this.#failure = { thrown };
    // The events of this run are already answered.
    if (this.#resolve === undefined && !this.#isOfTime(thrown)) this.#report(errorOf(thrown, this.#limit));
    this.#run = 'failed';
    return thrown;
  }
}

const NONE: Items = new Map();

/** The smallest of the fencing tokens: an effect fenced with it never counts as newer than a claim of these keys. */
function least(fresh: ReadonlyMap<string, Claimed>): bigint | undefined {
  const tokens = [...fresh.values()].flatMap(({ token }) => token ?? []);
  return tokens.length === 0 ? undefined : tokens.reduce((least, token) => (token < least ? token : least));
}

const WRONG_KEYS = 'The store must call its run with some of its keys.';
const ABANDONED = 'An earlier run did not end: its process was killed, or frozen for longer than its lease.';
const LATE = 'The store called its run too late, or twice at once.';
const FROZEN =
  'Claiming the key used up the time of the handler, so the handler was not started: the process was frozen, or the store is slow. The event will be redelivered.';

function inProgress(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_IN_PROGRESS',
    'The event is being handled elsewhere. Send the delivery again later.',
  );
}
