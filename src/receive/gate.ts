import { channel } from '#runtime';
import { WebhookError } from '../errors.js';
import { type HostGrants, hostMs } from '../handle/deadline.js';
import { monotonicNow } from '../internal/time.js';

/** The shortest time for which a handler that does not settle counts, in ms. */
const GIVE_UP_MS = 60_000;

/** Work that continues after the answer: until when (monotonic) it has a place, and until when it is counted. */
interface Later {
  readonly hasPlaceUntil: number;
  readonly countsUntil: number;
  readonly host?: HostGrants | undefined;
}

/**
 * Counts work in flight, and refuses work over the limit. It reads clocks and sets no timers: in Workers, no timer
 * fires after its request has ended.
 */
export function createGate(maxInFlight: number, handlerTimeoutMs: number) {
  const changes = channel('event-webhook-receiver:in-flight');
  const later = new Set<Later>();
  let entered = 0;

  function count(isCounted: (each: Later) => boolean): number {
    let counted = entered;
    for (const each of later) {
      if (each.countsUntil > monotonicNow()) counted += Number(isCounted(each));
      else later.delete(each);
    }
    return counted;
  }

  function follow(work: Promise<unknown>, each: Later): void {
    later.add(each);
    changes.publish(gate);
    const done = () => {
      later.delete(each);
      changes.publish(gate);
    };
    work.then(done, done);
  }

  const gate = {
    /** Whether new deliveries are refused. */
    isClosed: false,
    /** How many places are taken. */
    get inFlight() {
      return count(({ hasPlaceUntil, host }) => hasPlaceUntil > monotonicNow() && hostMs(host) !== 0);
    },
    /** How much work is in flight or awaited. */
    get size() {
      return count(() => true);
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
     * Occupies a place until the work settles; at most for twice the time limit of handlers, or until the host's time
     * is over. After that the gate only counts the work, and finally stops counting it.
     */
    hold(work: Promise<unknown>, host?: Later['host']): void {
      const hasPlaceUntil = monotonicNow() + 2 * handlerTimeoutMs;
      follow(work, { hasPlaceUntil, countsUntil: Math.max(hasPlaceUntil, monotonicNow() + GIVE_UP_MS), host });
    },
    /** Counts work until it settles, without a place. */
    wait(work: Promise<unknown>): void {
      follow(work, { hasPlaceUntil: 0, countsUntil: Number.POSITIVE_INFINITY });
    },
  };
  return gate;
}

/** The places of one receiver for verified deliveries. */
export type Gate = ReturnType<typeof createGate>;

export function draining(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'The receiver is draining. Send the delivery again later.');
}
