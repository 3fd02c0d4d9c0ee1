import { channel } from '#runtime';
import { WebhookError } from '../errors.js';
import type { HostTime } from './host-time.js';
import type { InFlightMessage } from './tracing.js';

/** Counts work in flight, refuses work over the limit, and reports when all of it is done. */
export interface Gate {
  /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed to new deliveries. */
  check(): void;
  /** Takes a place, or throws `ERR_WEBHOOK_OVERLOADED` or `ERR_WEBHOOK_DRAINING`. */
  enter(): void;
  /** Releases a place. */
  leave(): void;
  /**
   * Occupies a place until the work, which continues after its delivery was answered, settles. A full gate takes the place
   * back once the host's time is over, and then only waits for the work.
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

const changes = /* @__PURE__ */ channel('event-webhook-receiver:in-flight');

export function createGate(maxInFlight: number): Gate {
  let inFlight = 0;
  const message: InFlightMessage = {
    get inFlight() {
      return inFlight;
    },
  };
  let waitedFor = 0;
  let closed: 'no' | 'to new deliveries' | 'entirely' = 'no';
  const idlers: (() => void)[] = [];
  const held = new Set<{ readonly host: Pick<HostTime, 'isOver'> | undefined }>();

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
    for (const place of held) {
      if (!place.host?.isOver()) continue;
      held.delete(place);
      occupy(-1);
      waitedFor++;
    }
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
      const place = { host };
      held.add(place);
      occupy(1);
      const done = () => {
        if (held.delete(place)) occupy(-1);
        else waitedFor--;
        notifyIdle();
      };
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

export function draining(): WebhookError {
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'The receiver is draining. Send the delivery again later.');
}
