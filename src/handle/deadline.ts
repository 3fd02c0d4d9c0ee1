import { WebhookError } from '../errors.js';
import { monotonicNow } from '../internal/deadline.js';
import type { HostTime } from './host-time.js';

/** When user code has to be done. A timer aborts `signal`; if the process was frozen, `throwIfExpired` checks the clocks. */
export class Deadline {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  /** The timeout error; undefined before the time is over. */
  error: WebhookError | undefined;
  readonly #ms: number;
  readonly #isOfHost: boolean;
  // Some machines stop the monotonic clock while they sleep, and the wall clock can be set: the earlier end counts.
  readonly #monotonicEnd: number;
  #controller: AbortController | undefined;

  /** In `mostMs` from now, or earlier if the host grants less. */
  constructor(mostMs: number, host?: HostTime) {
    this.#ms = host === undefined ? mostMs : Math.min(mostMs, host.handlerMs());
    this.#isOfHost = this.#ms < mostMs;
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

  /** Waits for user code until then. It rejects at that time and passes the promise that is still running to `late`. */
  async run(work: () => unknown, late: (running: Promise<unknown>) => void): Promise<void> {
    const returned = work();
    if (!isObject(returned)) return;
    const running = Promise.resolve(returned);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late(running);
        reject(this.expire());
      }, this.remainingMs());
    });
    try {
      await Promise.race([running, expired]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Only an object or a function can be a promise. */
function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
