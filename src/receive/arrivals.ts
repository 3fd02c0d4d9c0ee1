import { WebhookError } from '../errors.js';
import { type HostTime, outOfTime } from '../handle/host-time.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { monotonicNow } from '../internal/deadline.js';
import type { RawBody } from '../signature/verify-signature.js';
import { Peers } from './peers.js';

type DropListener = (error: WebhookError) => void;

/** A delivery that has not been verified yet, as the reader of its body sees it. */
export type Arrival = Pick<Arriving, 'received' | 'onDrop'>;

/** What a receiver allows to arrive at once. */
export interface ArrivalLimits {
  readonly maxArriving: number;
  readonly maxArrivingBytes: number;
  readonly maxLookUps: number;
  readonly receiveTimeoutMs: number;
}

/** A delivery that has not been verified yet. */
export class Arriving {
  /** How many of its bytes are counted. */
  bytes = 0;
  /** The body, once it has arrived. Here, because a drop releases it although a look-up may not stop. */
  body: RawBody | undefined;
  isOver = false;
  dropped: WebhookError | undefined;
  listener: DropListener | undefined;
  /** The connection that it comes over, or itself. */
  readonly peer: unknown;
  /** Has its `run` reject. */
  readonly reject: DropListener;
  readonly #count: (arrival: Arriving, bytes: number) => void;

  constructor(count: (arrival: Arriving, bytes: number) => void, reject: DropListener, peer: unknown) {
    this.#count = count;
    this.reject = reject;
    this.peer = peer ?? this;
  }

  /** Counts bytes that have been read and are kept. Call it for each chunk, with its size as received. */
  received(bytes: number): void {
    this.#count(this, bytes);
  }

  /** Sets what to call when the delivery is dropped: stop reading and release the chunks. The last listener set is called. */
  onDrop(listener: DropListener): void {
    this.listener = listener;
    if (this.dropped) listener(this.dropped);
  }
}

/** The part of the places that is drawn by lot in a flood. */
const LAST_PLACES = 0.1;

const overloaded = (message: string) => new WebhookError('ERR_WEBHOOK_OVERLOADED', message);
const slow = (what: string) => overloaded(`${what}. If the secret function is slow, cache its results.`);

/**
 * Limits what strangers can make the receiver keep: deliveries that are arriving or being verified, look-ups of their secrets,
 * and their bytes. A body may stall, so the oldest delivery makes room, of the peer that has most. Waiting for a look-up always
 * ends, so the newcomer is refused.
 */
export function createArrivals({ maxArriving, maxArrivingBytes, maxLookUps, receiveTimeoutMs }: ArrivalLimits) {
  /** Without those in their look-up. */
  const arriving = new Peers<Arriving>();
  /** Those whose look-up has a place, also if they were dropped, in the order of the look-ups; with when to take it back. */
  const lookUps = new Map<Arriving, number>();
  let total = 0;
  /** The free places that newcomers found, as a moving average. */
  let usuallyFree = maxLookUps;

  function end(arrival: Arriving): void {
    arrival.isOver = true;
    arriving.delete(arrival);
    total -= arrival.bytes;
    arrival.bytes = 0;
    arrival.body = undefined;
  }

  function drop(arrival: Arriving, error: WebhookError): WebhookError {
    if (arrival.isOver) return error;
    end(arrival);
    arrival.dropped = error;
    arrival.reject(error);
    try {
      arrival.listener?.(error);
    } catch {
      // Runs in the turn of another delivery, which must not fail because this reader cannot stop.
    }
    return error;
  }

  function dropOldest(what: string, option: string): void {
    const oldest = arriving.oldestOfMost();
    const message = `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`;
    if (oldest) drop(oldest, overloaded(message));
  }

  function count(arrival: Arriving, bytes: number): void {
    // NaN or Infinity would break the total.
    if (!arriving.has(arrival) || !(bytes > 0 && bytes < Number.POSITIVE_INFINITY)) return;
    arrival.bytes += bytes;
    total += bytes;
    if (total <= maxArrivingBytes) return;
    endOverdue();
    let needed = arrival.bytes;
    for (const { bytes } of lookUps.keys()) needed += bytes;
    // Dropping the others that are arriving would not make room for this one.
    const limit = `${maxArrivingBytes} bytes`;
    if (needed > maxArrivingBytes) {
      drop(arrival, slow(`Secret look-ups and this delivery need more than ${limit} (maxArrivingBytes)`));
    }
    while (total > maxArrivingBytes) dropOldest(limit, 'maxArrivingBytes');
  }

  function endLookUp(arrival: Arriving): void {
    if (lookUps.delete(arrival) && !arrival.isOver) arriving.add(arrival);
  }

  /** A look-up that has not ended although it was aborted loses its place, or it might keep it forever. */
  function endOverdue(): void {
    for (const [arrival, overdueAt] of lookUps) if (overdueAt < monotonicNow()) endLookUp(arrival);
  }

  /**
   * In a flood, strangers who send often get each place in the moment in which it becomes free. So the last places are drawn by
   * lot, which goes by what is usually free and not by the moment.
   */
  function hasPlace(): boolean {
    const free = maxLookUps - lookUps.size;
    usuallyFree += (free - usuallyFree) / Math.max(1, maxLookUps / 5);
    if (free > maxLookUps / 2) usuallyFree = free;
    return free >= 1 && Math.random() * LAST_PLACES * maxLookUps < usuallyFree;
  }

  return {
    /** How many deliveries are arriving. */
    get size() {
      return arriving.size + [...lookUps.keys()].filter(({ isOver }) => !isOver).length;
    },
    /**
     * Runs `work` for a new delivery. When there are too many, the delivery that has been arriving longest is dropped, of the peer that has most: its
     * `run` rejects at once with `ERR_WEBHOOK_OVERLOADED`, whatever its `work` waits for. So is one whose host's time is
     * nearly over, with `ERR_WEBHOOK_OUT_OF_TIME`.
     */
    run<T>(
      work: (arrival: Arriving) => Promise<T>,
      { host, peer }: { host?: HostTime | undefined; peer?: unknown } = {},
    ): Promise<T> {
      return new Promise((resolve, reject) => {
        const arrival = new Arriving(count, reject, peer);
        arriving.add(arrival);
        const late = () => drop(arrival, outOfTime());
        const timer = host && setTimeout(late, Math.min(host.answerMs(), MAX_TIMER_MS));
        while (arriving.size > maxArriving) dropOldest(`${maxArriving} deliveries`, 'maxArriving');
        const ended = () => {
          clearTimeout(timer);
          end(arrival);
        };
        void work(arrival).then(resolve, reject).then(ended);
      });
    },
    /** Throws `ERR_WEBHOOK_OVERLOADED` if all places of look-ups are taken, or the delivery was dropped. */
    checkLookUps(arrival: Arriving): void {
      if (lookUps.size >= maxLookUps) endOverdue();
      if (!arrival.isOver && hasPlace()) return;
      throw slow(`Too many secret look-ups are under way (maxLookUps: ${maxLookUps})`);
    },
    /**
     * Gives a look-up a place until it settles, even if its delivery is dropped or its time is over: at most for twice its time
     * limit. Meanwhile the delivery is not dropped to make room for another one. Its bytes stay counted.
     */
    lookUp(arrival: Arriving, looking: Promise<unknown>): void {
      lookUps.set(arrival, monotonicNow() + 2 * receiveTimeoutMs);
      arriving.delete(arrival);
      const end = () => endLookUp(arrival);
      looking.then(end, end);
    },
    /** Drops one delivery: its `run` rejects at once with the error, which is returned. */
    drop,
    /** Drops everything that is arriving. */
    dropAll(error: WebhookError): void {
      for (const arrival of [...arriving.all(), ...lookUps.keys()]) drop(arrival, error);
    },
  };
}

/** What is arriving at one receiver or verifier. */
export type Arrivals = ReturnType<typeof createArrivals>;
