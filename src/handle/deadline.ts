import { WebhookError } from '../errors.js';
import { ignorePromise } from '../internal/guards.js';
import { monotonicNow, withDeadline } from '../internal/time.js';
import type { RunLimit } from '../stores/store.js';

/** The time and the background work that the host grants a delivery. */
export interface HostGrants {
  /**
   * Returns how long the host still lets the delivery run, in ms, or undefined. Handlers end, and the answer is sent,
   * before that. (Default: no limit.)
   */
  readonly remainingMs?: (() => number | undefined) | undefined;
  /**
   * Asks the host to let work finish after the sender has disconnected or been answered: the whole request, and
   * handlers that outlive their time limit. For a Worker, `(work) => context.waitUntil(work)`. (Default: the host lets
   * work finish.)
   */
  readonly waitUntil?: ((work: Promise<unknown>) => unknown) | undefined;
}

/** The answer is sent this long before the host ends the delivery, in ms, even if the store has not answered. */
export const ANSWER_MS = 100;
/** User code ends this long before the host ends the delivery, in ms: recording takes up to hundreds of milliseconds. */
const RESERVE_MS = 500;
/** With less time than this, in ms, user code is more likely to be cut off than to finish. */
const SHORTEST_MS = 500;

/** How long the host lets the delivery run from now on, less a reserve; Infinity if it gives no usable number. */
export function hostMs(host: HostGrants | undefined, reserveMs = 0): number {
  let ms: unknown;
  try {
    ms = host?.remainingMs?.();
  } catch {
    // The host's clock is broken. Its limit is then unknown, and the receiver's own limits apply.
  }
  // Never negative: newer versions of Node warn about a negative timer.
  if (typeof ms === 'number' && !Number.isNaN(ms)) return Math.max(0, ms - reserveMs);
  ignorePromise(ms);
  return Number.POSITIVE_INFINITY;
}

/** Asks the host to wait for work of a delivery that continues after the answer, if the host can. */
export function letFinish(host: HostGrants | undefined, work: Promise<unknown>): void {
  try {
    // How the work ends is reported elsewhere.
    ignorePromise(host?.waitUntil?.(work.catch(() => {})));
  } catch {
    // The host may end the work with the answer.
  }
}

/** When user code must have finished. A timer aborts `signal`; `throwIfExpired` also works after a freeze. */
export class Deadline implements RunLimit {
  /** The end of the time, in epoch milliseconds. */
  readonly deadline: number;
  /** Undefined until the time is over; set from the start if the host leaves too little time. */
  error: WebhookError | undefined;
  report?: (error: unknown) => void;
  readonly #ms: number;
  readonly #isOfHost: boolean;
  readonly #host: HostGrants | undefined;
  // Some machines stop the monotonic clock while they sleep, and the wall clock can be set: the earlier end counts.
  readonly #monotonicEnd: number;
  #controller: AbortController | undefined;

  /** Ends the time `mostMs` from now, or earlier if the host grants less. */
  constructor(mostMs: number, host?: HostGrants) {
    const grantedMs = hostMs(host, RESERVE_MS);
    if (grantedMs < Math.min(mostMs, SHORTEST_MS)) this.error = outOfTime();
    this.#ms = Math.min(mostMs, grantedMs);
    this.#isOfHost = this.#ms < mostMs;
    this.#host = host;
    this.#monotonicEnd = monotonicNow() + this.#ms;
    this.deadline = Date.now() + this.#ms;
  }

  /** Created on first read. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  /** Never negative, like that of the host. */
  remainingMs(): number {
    return Math.max(0, Math.min(this.deadline - Date.now(), this.#monotonicEnd - monotonicNow()));
  }

  /** Bound, so that a handler can destructure its context. */
  readonly throwIfExpired = (): void => {
    // Negated, so that a clock that returns NaN expires.
    if (!(this.remainingMs() > 0)) this.expire();
    if (this.error) throw this.error;
  };

  expire(): WebhookError {
    this.error ??= new WebhookError(
      'ERR_WEBHOOK_HANDLER_TIMEOUT',
      this.#isOfHost
        ? `The handler took longer than the ${Math.round(this.#ms)} ms that the host's time limit left for it, so its signal was aborted. ${RAISE}`
        : `The handler took longer than ${this.#ms} ms (handlerTimeoutMs, at most 0.9 of leaseMs), so its signal was aborted.`,
    );
    this.#controller?.abort(this.error);
    return this.error;
  }

  /** Runs user code. Rejects when the time is over, and passes code that still runs to `hold`. */
  async run<T>(work: () => T, hold: (settled: Promise<unknown>, host?: HostGrants) => void): Promise<Awaited<T>> {
    if (this.error) throw this.error;
    const running = Promise.resolve(work());
    return withDeadline(running, this.remainingMs(), () => {
      hold(running, this.#host);
      return this.expire();
    });
  }
}

const RAISE = 'If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.';

/** The error of work that was not started because the host's time is nearly over. */
export function outOfTime(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_OUT_OF_TIME',
    `The host's time limit is near, so the event was not begun and will be redelivered. ${RAISE}`,
  );
}
