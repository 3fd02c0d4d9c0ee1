import { channel } from '#runtime';
import { WebhookError } from '../errors.js';
import type { HostTime } from '../handle/host-time.js';
import { monotonicNow } from '../internal/deadline.js';

const changes = /* @__PURE__ */ channel('event-webhook-receiver:in-flight');

/** How long a handler that does not settle counts at least, in ms. */
const GIVE_UP_MS = 60_000;

/** User code that continues after its delivery was answered: until when, on the monotonic clock, it has a place and is counted. */
interface Later {
  readonly hasPlaceUntil: number;
  readonly countsUntil: number;
  readonly host?: Pick<HostTime, 'isOver'> | undefined;
}

/**
 * Counts work in flight, and refuses work over the limit. It reads clocks and sets no timers: in Workers, none fires after
 * the end of its request.
 */
export function createGate(maxInFlight: number, handlerTimeoutMs: number) {
  const later = new Set<Later>();
  let entered = 0;
  let waitedFor = 0;

  function count(isCounted: (each: Later) => boolean): number {
    let counted = entered;
    for (const each of later) if (isCounted(each)) counted++;
    return counted;
  }

  const gate = {
    /** Whether new deliveries are refused. */
    isClosed: false,
    /** How many places are taken. */
    get inFlight() {
      return count(({ hasPlaceUntil, host }) => hasPlaceUntil > monotonicNow() && !host?.isOver());
    },
    /** How much work is in flight or waited for. */
    get size() {
      return waitedFor + count(({ countsUntil }) => countsUntil > monotonicNow());
    },
    /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed. */
    check(): void {
      if (gate.isClosed) throw draining();
    },
    /** Takes a place, or throws `ERR_WEBHOOK_OVERLOADED`. */
    enter(): void {
      if (gate.inFlight >= maxInFlight) {
        const advice = 'raise maxInFlight or add replicas';
        throw new WebhookError('ERR_WEBHOOK_OVERLOADED', `${maxInFlight} deliveries are in flight: ${advice}.`);
      }
      entered++;
      changes.publish(gate);
    },
    /** Releases a place. */
    leave(): void {
      entered--;
      changes.publish(gate);
    },
    /**
     * Occupies a place until the work settles; at most for twice the time limit of handlers, or until the host's time is
     * over. Then the gate only counts the work, and at last gives it up.
     */
    hold(work: Promise<unknown>, host?: Later['host']): void {
      const now = monotonicNow();
      for (const each of later) if (each.countsUntil <= now) later.delete(each);
      const hasPlaceUntil = now + 2 * handlerTimeoutMs;
      const held = { hasPlaceUntil, countsUntil: Math.max(hasPlaceUntil, now + GIVE_UP_MS), host };
      later.add(held);
      changes.publish(gate);
      const done = () => {
        later.delete(held);
        changes.publish(gate);
      };
      work.then(done, done);
    },
    /** Counts work until it settles, without a place. */
    wait(work: Promise<unknown>): void {
      waitedFor++;
      const done = () => {
        waitedFor--;
      };
      work.then(done, done);
    },
  };
  return gate;
}

/** The places of one receiver for verified deliveries. */
export type Gate = ReturnType<typeof createGate>;

/** The error for a delivery that a draining receiver refuses. */
export function draining(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'The receiver is draining. Send the delivery again later.');
}
