import { WebhookError } from '../errors.js';
import { monotonicNow, withDeadline } from '../internal/deadline.js';
import type { RunLimit } from '../stores/store.js';
import type { Afterwards } from './afterwards.js';
import { type HostTime, outOfTime } from './host-time.js';

/** With less time than this, in ms, user code is more likely to be cut off than to finish. */
const SHORTEST_MS = 500;

/** When user code has to be done. A timer aborts `signal`; if the process was frozen, `throwIfExpired` checks the clocks. */
export class Deadline implements RunLimit {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  /** Undefined before the time is over. From the beginning the error of a host that leaves too little time to begin. */
  error: WebhookError | undefined;
  report?: (error: unknown) => void;
  readonly #ms: number;
  readonly #isOfHost: boolean;
  readonly #host: HostTime | undefined;
  // Some machines stop the monotonic clock while they sleep, and the wall clock can be set: the earlier end counts.
  readonly #monotonicEnd: number;
  #controller: AbortController | undefined;

  /** In `mostMs` from now, or earlier if the host grants less. */
  constructor(mostMs: number, host?: HostTime) {
    const hostMs = host === undefined ? mostMs : host.handlerMs();
    if (hostMs < Math.min(mostMs, SHORTEST_MS)) this.error = outOfTime();
    this.#ms = Math.min(mostMs, hostMs);
    this.#isOfHost = hostMs < mostMs;
    this.#host = host;
    this.#monotonicEnd = monotonicNow() + this.#ms;
    this.deadline = Date.now() + this.#ms;
  }

  /** Created when it is read, because most handlers do not use it and creating it takes time. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  /** Never negative: newer Node warns of such a timer. */
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

  /** Waits for user code until then. It rejects at that time, and `hold` gets what still runs. */
  async run<T>(work: () => T, hold: Afterwards['hold']): Promise<Awaited<T>> {
    if (this.error) throw this.error;
    const running = Promise.resolve(work());
    return withDeadline(running, this.remainingMs(), () => {
      hold(running, this.#host);
      return this.expire();
    });
  }
}
