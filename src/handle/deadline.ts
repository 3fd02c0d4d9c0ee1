import { WebhookError } from '../errors.js';
import { monotonicNow, withDeadline } from '../internal/deadline.js';
import type { RunLimit } from '../stores/store.js';
import { type HostTime, outOfTime } from './host-time.js';
import type { Afterwards } from './types.js';

/** With less time than this, in ms, user code is more likely to be cut off than to finish. */
const SHORTEST_MS = 500;

/** When user code must have finished. A timer aborts `signal`; `throwIfExpired` also works after a freeze. */
export class Deadline implements RunLimit {
  /** The end of the time, in epoch milliseconds. */
  readonly deadline: number;
  /** Undefined until the time is over; set from the start if the host leaves too little time. */
  error: WebhookError | undefined;
  report?: (error: unknown) => void;
  readonly #ms: number;
  readonly #isOfHost: boolean;
  readonly #host: HostTime | undefined;
  // Some machines stop the monotonic clock while they sleep, and the wall clock can be set: the earlier end counts.
  readonly #monotonicEnd: number;
  #controller: AbortController | undefined;

  /** Ends the time `mostMs` from now, or earlier if the host grants less. */
  constructor(mostMs: number, host?: HostTime) {
    const hostMs = host === undefined ? mostMs : host.handlerMs();
    if (hostMs < Math.min(mostMs, SHORTEST_MS)) this.error = outOfTime();
    this.#ms = Math.min(mostMs, hostMs);
    this.#isOfHost = hostMs < mostMs;
    this.#host = host;
    this.#monotonicEnd = monotonicNow() + this.#ms;
    this.deadline = Date.now() + this.#ms;
  }

  /** Created on first read: most handlers do not use the signal, and creating one takes time. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  /** Never negative: newer versions of Node warn about a negative timer. */
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
        ? `The handler took longer than the ${Math.round(this.#ms)} ms that the host's time limit left for it, so its signal was aborted. If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.`
        : `The handler took longer than ${this.#ms} ms (handlerTimeoutMs, at most 0.9 of leaseMs), so its signal was aborted.`,
    );
    this.#controller?.abort(this.error);
    return this.error;
  }

  /** Runs user code. Rejects when the time is over, and passes code that still runs to `hold`. */
  async run<T>(work: () => T, hold: Afterwards['hold']): Promise<Awaited<T>> {
    if (this.error) throw this.error;
    const running = Promise.resolve(work());
    return withDeadline(running, this.remainingMs(), () => {
      hold(running, this.#host);
      return this.expire();
    });
  }
}
