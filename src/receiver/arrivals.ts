import { WebhookError } from '../errors.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { type HostTime, outOfTime } from './host-time.js';

/** A delivery that has not been verified yet. */
export interface Arrival {
  /** Counts bytes that have been read and are kept. Call it for each chunk, with its size as received. */
  received(bytes: number): void;
  /** Sets what to call when the delivery is dropped: stop reading and release the chunks. The last listener set is called. */
  onDrop(listener: (error: WebhookError) => void): void;
}

/** Limits what strangers can make the receiver keep: deliveries that are arriving or being verified, and their bytes. */
export interface Arrivals {
  /**
   * Runs `work` for a new delivery. When there are too many, the delivery that has been arriving longest is dropped: its
   * `run` rejects at once with `ERR_WEBHOOK_OVERLOADED`, whatever its `work` waits for. So is one whose host's time is
   * nearly over, with `ERR_WEBHOOK_OUT_OF_TIME`.
   */
  run<T>(work: (arrival: Arrival) => Promise<T>, host?: HostTime): Promise<T>;
  /** Resolves when nothing is arriving. */
  idle(): Promise<void>;
  /** Drops everything that is arriving. */
  dropAll(error: WebhookError): void;
}

/** What a receiver allows to arrive at once. */
export interface ArrivalLimits {
  readonly maxArriving: number;
  readonly maxArrivingBytes: number;
}

/** A delivery that is arriving. */
class Arriving implements Arrival {
  bytes = 0;
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly #count: (arrival: Arriving, bytes: number) => void;
  readonly #reject: (error: WebhookError) => void;
  #dropped: WebhookError | undefined;
  #listener: ((error: WebhookError) => void) | undefined;

  constructor(count: (arrival: Arriving, bytes: number) => void, reject: (error: WebhookError) => void) {
    this.#count = count;
    this.#reject = reject;
  }

  received(bytes: number): void {
    this.#count(this, bytes);
  }

  onDrop(listener: (error: WebhookError) => void): void {
    this.#listener = listener;
    this.#tell();
  }

  drop(error: WebhookError): void {
    this.#dropped = error;
    this.#reject(error);
    this.#tell();
  }

  #tell(): void {
    try {
      if (this.#dropped) this.#listener?.(this.#dropped);
    } catch {
      // Runs in the turn of another delivery, which must not fail because this reader cannot stop.
    }
  }
}

export function createArrivals({ maxArriving, maxArrivingBytes }: ArrivalLimits): Arrivals {
  /** In the order of arrival. */
  const arriving = new Set<Arriving>();
  const idlers: (() => void)[] = [];
  let total = 0;

  function remove(arrival: Arriving): void {
    if (!arriving.delete(arrival)) return;
    total -= arrival.bytes;
    clearTimeout(arrival.timer);
    if (arriving.size === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function count(arrival: Arriving, bytes: number): void {
    // NaN or Infinity would break the total.
    if (!arriving.has(arrival) || !(bytes > 0 && bytes < Number.POSITIVE_INFINITY)) return;
    arrival.bytes += bytes;
    total += bytes;
    while (total > maxArrivingBytes) dropOldest(`${maxArrivingBytes} bytes`, 'maxArrivingBytes');
  }

  function drop(arrival: Arriving, error: WebhookError): void {
    remove(arrival);
    arrival.drop(error);
  }

  function dropOldest(what: string, option: string): void {
    const [oldest] = arriving;
    const message = `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`;
    if (oldest) drop(oldest, new WebhookError('ERR_WEBHOOK_OVERLOADED', message));
  }

  return {
    run: (work, host) =>
      new Promise((resolve, reject) => {
        const arrival = new Arriving(count, reject);
        arriving.add(arrival);
        const hostMs = host?.answerMs();
        if (hostMs !== undefined && hostMs <= MAX_TIMER_MS) {
          arrival.timer = setTimeout(() => drop(arrival, outOfTime()), hostMs);
        }
        if (arriving.size > maxArriving) dropOldest(`${maxArriving} deliveries`, 'maxArriving');
        work(arrival).then(
          (value) => {
            remove(arrival);
            resolve(value);
          },
          (error) => {
            remove(arrival);
            reject(error);
          },
        );
      }),
    async idle() {
      if (arriving.size > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
    dropAll(error) {
      for (const arrival of arriving) drop(arrival, error);
    },
  };
}
