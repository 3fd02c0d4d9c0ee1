import { WebhookError } from '../errors.js';
import { monotonicNow, withDeadline } from '../internal/deadline.js';
import type { Afterwards } from './ground.js';
import type { HostTime } from './host-time.js';

/** The time limit of user code. A timer ends it; if the process was frozen, `throwIfExpired` checks the clocks. */
export class TimeLimit {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  /** The timeout error; undefined before the time is over. */
  error: WebhookError | undefined;
  /** How long it is, in ms: what the host still grants may be less than what the receiver does. */
  readonly ms: number;
  readonly #host: HostTime | undefined;
  readonly #isOfHost: boolean;
  // Some machines stop the monotonic clock while they sleep, and the wall clock can be set: the later one counts.
  readonly #monotonicEnd: number;
  #controller: AbortController | undefined;

  constructor(mostMs: number, host?: HostTime) {
    const ms = host === undefined ? mostMs : Math.min(mostMs, host.handlerMs());
    this.ms = ms;
    this.#host = host;
    this.#isOfHost = ms < mostMs;
    this.#monotonicEnd = monotonicNow() + ms;
    this.deadline = Date.now() + ms;
  }

  /** Created when it is read, because most handlers do not use it and creating it takes time. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  remainingMs(): number {
    return Math.min(this.deadline - Date.now(), this.#monotonicEnd - monotonicNow());
  }

  /** Bound, so that a handler can destructure its context. */
  readonly throwIfExpired = (): void => {
    if (Date.now() >= this.deadline || monotonicNow() >= this.#monotonicEnd) this.expire();
    if (this.error) throw this.error;
  };

  expire(): WebhookError {
    this.error ??= new WebhookError(
      'ERR_WEBHOOK_HANDLER_TIMEOUT',
      this.#isOfHost
        ? `The handler took longer than the ${Math.round(this.ms)} ms that the host's time limit left for it, so its signal was aborted. If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.`
        : `The handler took longer than ${this.ms} ms (handlerTimeoutMs, at most 0.9 of leaseMs), so its signal was aborted.`,
    );
    this.#controller?.abort(this.error);
    return this.error;
  }

  /** Runs user code and waits for it within the time limit. After that it rejects and passes the running promise to `late`. */
  async run(work: () => unknown, late: Afterwards['hold']): Promise<void> {
    const returned = work();
    // Only an object or a function can be a promise.
    if ((typeof returned !== 'object' && typeof returned !== 'function') || returned === null) return;
    const settled = Promise.resolve(returned);
    let isLate = false;
    const expire = () => {
      isLate = true;
      return this.expire();
    };
    try {
      await withDeadline(settled, this.ms, expire);
    } catch (error) {
      if (isLate) late(settled, this.#host);
      throw error;
    }
  }
}
