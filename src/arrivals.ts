import { WebhookError } from './errors.js';

/** What is known of a delivery that nobody has verified yet. */
export interface Arrival {
  /** Counts bytes that have been read and are kept. Call it for each chunk, with its size as received. */
  received(bytes: number): void;
  /** Sets what to call when the delivery is dropped: stop reading and release the chunks. The last listener set is called. */
  onDrop(listener: (error: WebhookError) => void): void;
}

/** Bounds what strangers can make the receiver keep: deliveries that are still arriving or being verified, and their bytes. */
export interface Arrivals {
  /**
   * Runs `work` for a newcomer. When there are too many, the delivery that has been arriving longest makes room: its
   * `run` rejects at once with `ERR_WEBHOOK_OVERLOADED`, whatever its `work` waits for.
   */
  run<T>(work: (arrival: Arrival) => Promise<T>): Promise<T>;
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

/** An arrival in a doubly linked list in the order of arrival, so that the oldest is found and any is removed in O(1). */
class Arriving implements Arrival {
  previous: Arriving | undefined;
  next: Arriving | undefined;
  bytes = 0;
  here = true;
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
    if (this.#dropped !== undefined) this.#tell(this.#dropped);
  }

  drop(error: WebhookError): void {
    this.#dropped = error;
    this.#reject(error);
    this.#tell(error);
  }

  #tell(error: WebhookError): void {
    try {
      this.#listener?.(error);
    } catch {
      // It runs in the turn of another delivery, which must not pay for a reader that fails to stop.
    }
  }
}

export function createArrivals({ maxArriving, maxArrivingBytes }: ArrivalLimits): Arrivals {
  let oldest: Arriving | undefined;
  let newest: Arriving | undefined;
  let arriving = 0;
  let total = 0;
  const idlers: (() => void)[] = [];

  function add(arrival: Arriving): void {
    arrival.previous = newest;
    if (newest === undefined) oldest = arrival;
    else newest.next = arrival;
    newest = arrival;
    arriving++;
    if (arriving > maxArriving) drop(`${maxArriving} deliveries`, 'maxArriving');
  }

  function remove(arrival: Arriving): void {
    if (!arrival.here) return;
    arrival.here = false;
    const { previous, next } = arrival;
    if (previous === undefined) oldest = next;
    else previous.next = next;
    if (next === undefined) newest = previous;
    else next.previous = previous;
    // What keeps this one must not keep the others.
    arrival.previous = undefined;
    arrival.next = undefined;
    arriving--;
    total -= arrival.bytes;
    if (arriving === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  function count(arrival: Arriving, bytes: number): void {
    // Written so that NaN, which would end all counting, counts as nothing.
    if (!arrival.here || !(bytes > 0)) return;
    arrival.bytes += bytes;
    total += bytes;
    while (total > maxArrivingBytes) drop(`${maxArrivingBytes} bytes`, 'maxArrivingBytes');
  }

  function drop(what: string, option: string): void {
    const arrival = oldest;
    if (arrival === undefined) return;
    remove(arrival);
    const message = `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`;
    arrival.drop(new WebhookError('ERR_WEBHOOK_OVERLOADED', message));
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const arrival = new Arriving(count, reject);
        add(arrival);
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
      if (arriving > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
    dropAll(error) {
      for (let arrival = oldest; arrival !== undefined; arrival = oldest) {
        remove(arrival);
        arrival.drop(error);
      }
    },
  };
}
