import { WebhookError } from './errors.js';

/** Counts what is under way, refuses what is too much, and says when all of it is done. */
export interface Gate {
  /** Runs `work`, or throws `ERR_WEBHOOK_OVERLOADED` or `ERR_WEBHOOK_DRAINING` without running it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Lets nothing more in; resolves when nothing is under way. */
  drain(): Promise<void>;
}

export function createGate(maxInFlight: number): Gate {
  let inFlight = 0;
  let draining = false;
  const waiting: (() => void)[] = [];

  return {
    async run(work) {
      if (draining) throw new WebhookError('ERR_WEBHOOK_DRAINING', 'Draining: send it again later.');
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
        if (inFlight === 0) for (const resolve of waiting.splice(0)) resolve();
      }
    },
    async drain() {
      draining = true;
      if (inFlight > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
