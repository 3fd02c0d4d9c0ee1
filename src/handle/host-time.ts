import { WebhookError } from '../errors.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { ignorePromise } from '../internal/guards.js';

/**
 * User code ends this long before the host ends the delivery, in ms: recording usually takes tens of milliseconds, and
 * hundreds with a slow server.
 */
const RESERVE_MS = 500;
/** The answer is sent this long before the host ends the delivery, in ms, even if the store has not answered. */
const ANSWER_MS = 100;

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

/** The time that a host such as Lambda grants one delivery. A host that gives no usable number sets no limit. */
export class HostTime {
  readonly #grants: HostGrants;

  constructor(grants: HostGrants) {
    this.#grants = grants;
  }

  /** Whether the host may have ended everything that belongs to the delivery. */
  isOver(): boolean {
    return this.#leftMs() <= 0;
  }

  /** Asks the host to wait for work of this delivery that continues after the answer, if the host can. */
  waitUntil(work: Promise<unknown>): void {
    try {
      // How the work ends is reported elsewhere.
      ignorePromise(this.#grants.waitUntil?.(work.catch(() => {})));
    } catch {
      // The host may end the work with the answer.
    }
  }

  /** How long user code may run from now on. */
  handlerMs(): number {
    return this.#leftMs() - RESERVE_MS;
  }

  /** How long the answer may take from now on; never negative, because newer versions of Node warn about that. */
  answerMs(): number {
    return Math.max(0, this.#leftMs() - ANSWER_MS);
  }

  #leftMs(): number {
    let ms: unknown;
    try {
      ms = this.#grants.remainingMs?.();
    } catch {
      // The host's clock is broken. Its limit is then unknown, and the receiver's own limits apply.
    }
    if (typeof ms === 'number' && ms <= MAX_TIMER_MS) return ms;
    ignorePromise(ms);
    return Number.POSITIVE_INFINITY;
  }
}

/** The error of work that was not started because the host's time is nearly over. */
export function outOfTime(): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_OUT_OF_TIME',
    "The host's time limit is near, so the event was not begun and will be redelivered. If this repeats, raise the timeout of the function, make the handler faster, or hand off to a queue.",
  );
}
