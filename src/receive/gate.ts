import { channel } from '#runtime';
import { WebhookError } from '../errors.js';
import type { HostTime } from '../handle/host-time.js';
import type { InFlightMessage } from '../handle/tracing.js';
import { monotonicNow } from '../internal/deadline.js';

const changes = /* @__PURE__ */ channel('event-webhook-receiver:in-flight');

/** How long a handler that does not settle counts at least, in ms. */
const GIVE_UP_MS = 60_000;

/**
 * Counts work in flight, and refuses work over the limit. It reads clocks and sets no timers: in Workers, none fires after
 * the end of its request.
 */
export function createGate(maxInFlight: number, handlerTimeoutMs: number) {
  /** Work that continues after its delivery was answered: whether it still has a place, and whether it counts. */
  const later = new Set<{ hasPlace: () => boolean; counts: () => boolean }>();
  let entered = 0;
  let isClosed = false;
  const message: InFlightMessage = {
    get inFlight() {
      return entered + [...later].filter(({ hasPlace }) => hasPlace()).length;
    },
  };

  function enter(places: 1 | -1): void {
    entered += places;
    changes.publish(message);
  }

  function keep(work: Promise<unknown>, hasPlace: () => boolean, counts: () => boolean): void {
    for (const each of later) if (!each.counts()) later.delete(each);
    const kept = { hasPlace, counts };
    const done = () => {
      later.delete(kept);
      changes.publish(message);
    };
    later.add(kept);
    changes.publish(message);
    work.then(done, done);
  }

  return {
    /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed to new deliveries. */
    check(): void {
      if (isClosed) throw draining();
    },
    /** Takes a place, or throws `ERR_WEBHOOK_OVERLOADED`. */
    enter(): void {
      if (message.inFlight >= maxInFlight) {
        const advice = 'raise maxInFlight or add replicas';
        throw new WebhookError('ERR_WEBHOOK_OVERLOADED', `${maxInFlight} deliveries are in flight: ${advice}.`);
      }
      enter(1);
    },
    /** Releases a place. */
    leave: () => enter(-1),
    /**
     * Occupies a place until the work settles; at most for twice the time limit of handlers, or until the host's time is
     * over. Then the gate only counts the work, and at last gives it up.
     */
    hold(work: Promise<unknown>, host?: Pick<HostTime, 'isOver'>): void {
      const since = monotonicNow();
      const isWithin = (ms: number) => monotonicNow() < since + ms;
      const placeMs = 2 * handlerTimeoutMs;
      const hasPlace = () => isWithin(placeMs) && !host?.isOver();
      keep(work, hasPlace, () => isWithin(Math.max(placeMs, GIVE_UP_MS)));
    },
    /** Counts work until it settles, without a place. */
    wait(work: Promise<unknown>): void {
      keep(work, no, yes);
    },
    close(): void {
      isClosed = true;
    },
    get isClosed() {
      return isClosed;
    },
    /** How much work is in flight or waited for. */
    get size() {
      return entered + [...later].filter(({ counts }) => counts()).length;
    },
  };
}

/** The places of one receiver for verified deliveries. */
export type Gate = ReturnType<typeof createGate>;

const yes = () => true;
const no = () => false;

export function draining(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'The receiver is draining. Send the delivery again later.');
}
