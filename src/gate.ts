import { WebhookError } from './errors.js';

/** Counts what is under way, refuses what is too much, and says when all of it is done. */
export interface Gate {
  /** Throws `ERR_WEBHOOK_DRAINING` once the gate is closed. */
  check(): void;
  /** Runs `work`, or throws `ERR_WEBHOOK_OVERLOADED` or `ERR_WEBHOOK_DRAINING` without running it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Has work that goes on after its delivery was answered take up a place until it settles. */
  hold(work: Promise<unknown>): void;
  /** Counts work that takes up no place until it settles. */
  wait(work: Promise<unknown>): void;
  /** Lets nothing more in. */
  close(): void;
  readonly isClosed: boolean;
  /** How much is under way. */
  readonly size: number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function createGate(maxInFlight: number): Gate {
  let inFlight = 0;
  let waitedFor = 0;
  let isClosed = false;
  const idlers: (() => void)[] = [];

  function left(): void {
    if (inFlight + waitedFor === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function check(): void {
    if (isClosed) throw new WebhookError('ERR_WEBHOOK_DRAINING', 'Draining: send it again later.');
  }

  return {
    check,
    async run(work) {
      check();
      if (inFlight >= maxInFlight) {
        throw new WebhookError(
          'ERR_WEBHOOK_OVERLOADED',
          `${maxInFlight} deliveries are in flight: raise maxInFlight or add replicas.`,
        );
      }
      inFlight++;
      try {
        return await work();
      } finally {
        inFlight--;
        left();
      }
    },
    hold(work) {
      inFlight++;
      const done = () => {
        inFlight--;
        left();
      };
      work.then(done, done);
    },
    wait(work) {
      waitedFor++;
      const done = () => {
        waitedFor--;
        left();
      };
      work.then(done, done);
    },
    close() {
      isClosed = true;
    },
    get isClosed() {
      return isClosed;
    },
    get size() {
      return inFlight + waitedFor;
    },
    async idle() {
      if (inFlight + waitedFor > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}
