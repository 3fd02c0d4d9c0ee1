import { WebhookError } from '../errors.js';

/** Counts what is under way, refuses what is too much, and says when all of it is done. */
export interface Gate {
  /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed to what has not begun to arrive. */
  check(): void;
  /** Takes a place, or throws `ERR_WEBHOOK_OVERLOADED` or `ERR_WEBHOOK_DRAINING`. */
  enter(): void;
  /** Gives a place back. */
  leave(): void;
  /** Has work that goes on after its delivery was answered take up a place until it settles. */
  hold(work: Promise<unknown>): void;
  /** Counts work that takes up no place until it settles. */
  wait(work: Promise<unknown>): void;
  /** Lets no newcomers in; or, with `entirely`, nothing. */
  close(entirely?: boolean): void;
  readonly isClosed: boolean;
  /** How much is under way. */
  readonly size: number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function createGate(maxInFlight: number): Gate {
  let inFlight = 0;
  let waitedFor = 0;
  let closed: 'no' | 'to newcomers' | 'entirely' = 'no';
  const idlers: (() => void)[] = [];

  function tellIdlers(): void {
    if (inFlight + waitedFor === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function leave(): void {
    inFlight--;
    tellIdlers();
  }

  return {
    check() {
      if (closed !== 'no') throw draining();
    },
    enter() {
      if (closed === 'entirely') throw draining();
      if (inFlight >= maxInFlight) {
        throw new WebhookError(
          'ERR_WEBHOOK_OVERLOADED',
          `${maxInFlight} deliveries are in flight: raise maxInFlight or add replicas.`,
        );
      }
      inFlight++;
    },
    leave,
    hold(work) {
      inFlight++;
      work.then(leave, leave);
    },
    wait(work) {
      waitedFor++;
      const done = () => {
        waitedFor--;
        tellIdlers();
      };
      work.then(done, done);
    },
    close(entirely = false) {
      if (entirely) closed = 'entirely';
      else if (closed === 'no') closed = 'to newcomers';
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
  return new WebhookError('ERR_WEBHOOK_DRAINING', 'Draining: send it again later.');
}
