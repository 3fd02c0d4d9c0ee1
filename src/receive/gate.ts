import { channel } from '#runtime';
import { WebhookError } from '../errors.js';
import type { HostTime } from '../handle/host-time.js';
import type { InFlightMessage } from '../handle/tracing.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { monotonicNow } from '../internal/deadline.js';

/** Counts work in flight, refuses work over the limit, and reports when all of it is done. */
export interface Gate {
  /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed to new deliveries. */
  check(): void;
  /** Takes a place, or throws `ERR_WEBHOOK_OVERLOADED` or `ERR_WEBHOOK_DRAINING`. */
  enter(): void;
  /** Releases a place. */
  leave(): void;
  /**
   * Occupies a place until the work, which continues after its delivery was answered, settles. The place comes back after
   * twice the time limit of handlers, and to a full gate once the host's time is over. Then the gate only waits for the
   * work, and at last gives it up.
   */
  hold(work: Promise<unknown>, host?: Pick<HostTime, 'isOver'>): void;
  /** Counts work until it settles, without a place. */
  wait(work: Promise<unknown>): void;
  /** Refuses new deliveries; with `entirely`, also those that are arriving. */
  close(entirely?: boolean): void;
  readonly isClosed: boolean;
  /** How much work is in flight or waited for. */
  readonly size: number;
  /** Resolves when `size` is 0. */
  idle(): Promise<void>;
}

interface Held {
  readonly host: Pick<HostTime, 'isOver'> | undefined;
  /** When the place comes back, on the monotonic clock. */
  readonly end: number;
}

const changes = /* @__PURE__ */ channel('event-webhook-receiver:in-flight');

/** How long a gate waits at least for work that does not settle, in ms. */
const GIVE_UP_MS = 60_000;

export function createGate(maxInFlight: number, handlerTimeoutMs: number): Gate {
  const placeMs = Math.min(2 * handlerTimeoutMs, MAX_TIMER_MS);
  let inFlight = 0;
  const message: InFlightMessage = {
    get inFlight() {
      return inFlight;
    },
  };
  let waitedFor = 0;
  let closed: 'no' | 'to new deliveries' | 'entirely' = 'no';
  const idlers: (() => void)[] = [];
  const held = new Set<Held>();

  function notifyIdle(): void {
    if (inFlight + waitedFor === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function occupy(places: 1 | -1): void {
    inFlight += places;
    changes.publish(message);
  }

  function leave(): void {
    occupy(-1);
    notifyIdle();
  }

  /** In Workers, neither a promise nor a timer of a request fires after its end, so the next delivery has to do this. */
  function takeBackPlaces(): void {
    for (const place of held) if (monotonicNow() >= place.end || place.host?.isOver()) takeBack(place);
  }

  function takeBack(place: Held): void {
    if (!held.delete(place)) return;
    occupy(-1);
    waitedFor++;
  }

  return {
    check() {
      if (closed !== 'no') throw draining();
    },
    enter() {
      if (closed === 'entirely') throw draining();
      if (inFlight >= maxInFlight) takeBackPlaces();
      if (inFlight >= maxInFlight) {
        throw new WebhookError(
          'ERR_WEBHOOK_OVERLOADED',
          `${maxInFlight} deliveries are in flight: raise maxInFlight or add replicas.`,
        );
      }
      occupy(1);
    },
    leave,
    hold(work, host) {
      const place = { host, end: monotonicNow() + placeMs };
      let isDone = false;
      const done = () => {
        if (isDone) return;
        isDone = true;
        for (const cancel of timers) cancel();
        if (held.delete(place)) occupy(-1);
        else waitedFor--;
        notifyIdle();
      };
      const timers = [after(placeMs, () => takeBack(place)), after(Math.max(placeMs, GIVE_UP_MS), done)];
      held.add(place);
      occupy(1);
      work.then(done, done);
    },
    wait(work) {
      waitedFor++;
      const done = () => {
        waitedFor--;
        notifyIdle();
      };
      work.then(done, done);
    },
    close(entirely = false) {
      if (entirely) closed = 'entirely';
      else if (closed === 'no') closed = 'to new deliveries';
    },
    get isClosed() {
      return closed !== 'no';
    },
    get size() {
      return inFlight + waitedFor;
    },
    async idle() {
      if (inFlight + waitedFor > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}

/** Acts later, unless the process has ended by then. Returns a function that cancels it. */
function after(ms: number, act: () => void): () => void {
  const timer: { unref?: () => unknown } = setTimeout(act, ms);
  timer.unref?.();
  return () => clearTimeout(timer as never);
}

export function draining(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'The receiver is draining. Send the delivery again later.');
}
