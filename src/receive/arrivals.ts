import { WebhookError } from '../errors.js';
import { ANSWER_MS, type HostGrants, hostMs, outOfTime } from '../handle/deadline.js';
import { MAX_TIMER_MS } from '../internal/check-options.js';
import { monotonicNow } from '../internal/time.js';
import type { RawBody } from '../signature/verify-signature.js';
import type { ReceiveOptions } from './options.js';

type DropListener = (error: WebhookError) => void;

/** A delivery that has not been verified yet, as the reader of its body sees it. */
export interface Arrival {
  /** Counts bytes that have been read and are kept. Call it for each chunk, with its size as received. */
  received(bytes: number): void;
  /** Sets the function that stops reading and releases the chunks when the delivery is dropped. The last one counts. */
  onDrop(listener: DropListener): void;
}

/** A delivery that has not been verified yet. */
export interface Arriving extends Arrival {
  /** The connection of the delivery, compared by identity. */
  readonly peer: unknown;
  /** How many bytes of the body are counted. */
  bytes: number;
  /** The body, once it has arrived. Kept here so that a drop releases it, even if a look-up does not stop. */
  body: RawBody | undefined;
  isOver: boolean;
  /** Makes the `run` of the delivery reject, and its reader stop. */
  stop: DropListener;
}

/** The share of the places that is assigned at random in a flood. */
const LAST_PLACES = 0.1;

const overloaded = (message: string) => new WebhookError('ERR_WEBHOOK_OVERLOADED', message);
const slow = (what: string) => overloaded(`${what}. If the secret function is slow, cache its results.`);

/**
 * Limits what unauthenticated senders can make the receiver keep: deliveries that are arriving or being verified,
 * look-ups of their secrets, and their bytes. A body may stall, so a full receiver drops the oldest delivery of the
 * peer with the most. A look-up always ends, so when all places of look-ups are taken, the new delivery is refused.
 */
export function createArrivals({ maxArriving, maxArrivingBytes, maxLookUps, receiveTimeoutMs }: ReceiveOptions) {
  /** Deliveries without a look-up in progress, oldest first, and how many of them each peer has. */
  const arriving = new Set<Arriving>();
  const counts = new Map<unknown, number>();
  /** Deliveries whose look-up has a place, dropped ones included, oldest first, with the time to take it back. */
  const lookUps = new Map<Arriving, number>();
  let total = 0;
  /** The number of free places that new deliveries found, as a moving average. */
  let usuallyFree = maxLookUps;

  function add(arrival: Arriving): void {
    arriving.add(arrival);
    counts.set(arrival.peer, (counts.get(arrival.peer) ?? 0) + 1);
  }

  function remove(arrival: Arriving): void {
    if (!arriving.delete(arrival)) return;
    const left = (counts.get(arrival.peer) ?? 0) - 1;
    if (left === 0) counts.delete(arrival.peer);
    else counts.set(arrival.peer, left);
  }

  function end(arrival: Arriving): void {
    arrival.isOver = true;
    remove(arrival);
    total -= arrival.bytes;
    arrival.bytes = 0;
    arrival.body = undefined;
  }

  function drop(arrival: Arriving, error: WebhookError): WebhookError {
    if (arrival.isOver) return error;
    end(arrival);
    arrival.stop(error);
    return error;
  }

  /** Drops the oldest delivery of the peer with the most. */
  function dropOldest(what: string, option: string): void {
    let most = 0;
    for (const count of counts.values()) most = Math.max(most, count);
    const message = `Dropped as the delivery that had been arriving longest: ${what} were arriving at once. Raise ${option} if the senders are yours.`;
    for (const each of arriving) if (counts.get(each.peer) === most) return void drop(each, overloaded(message));
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
    if (lookUps.delete(arrival) && !arrival.isOver) add(arrival);
  }

  /** Takes back the places of look-ups that were aborted but have not ended, because they may never end. */
  function endOverdue(): void {
    for (const [arrival, overdueAt] of lookUps) if (overdueAt < monotonicNow()) endLookUp(arrival);
  }

  /**
   * In a flood, frequent senders get each place as soon as it becomes free. So the last places are assigned at random,
   * with a chance that depends on how many are usually free.
   */
  function drawPlace(): boolean {
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
     * Runs `work` for a new delivery. When there are too many, the oldest delivery of the peer with the most is
     * dropped: its `run` rejects at once with `ERR_WEBHOOK_OVERLOADED`, whatever its `work` waits for. A delivery whose
     * host's time is nearly over is dropped with `ERR_WEBHOOK_OUT_OF_TIME`.
     */
    run<T>(
      work: (arrival: Arriving) => Promise<T>,
      { host, peer }: { host?: HostGrants | undefined; peer?: unknown } = {},
    ): Promise<T> {
      return new Promise((resolve, reject) => {
        let dropped: WebhookError | undefined;
        let listener: DropListener | undefined;
        const arrival: Arriving = {
          peer: peer ?? {},
          bytes: 0,
          body: undefined,
          isOver: false,
          received: (bytes) => count(arrival, bytes),
          onDrop(each) {
            listener = each;
            if (dropped) each(dropped);
          },
          stop(error) {
            dropped = error;
            reject(error);
            try {
              listener?.(error);
            } catch {
              // Runs in the turn of another delivery, which must not fail because this reader cannot stop.
            }
          },
        };
        add(arrival);
        const late = () => drop(arrival, outOfTime());
        const timer = host && setTimeout(late, Math.min(hostMs(host, ANSWER_MS), MAX_TIMER_MS));
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
      endOverdue();
      if (!arrival.isOver && drawPlace()) return;
      throw slow(`Too many secret look-ups are under way (maxLookUps: ${maxLookUps})`);
    },
    /**
     * Gives a look-up a place until it settles, even if its delivery is dropped or its time is over: at most for twice its time
     * limit. Meanwhile the delivery is not dropped to make room for another one. Its bytes stay counted.
     */
    lookUp(arrival: Arriving, looking: Promise<unknown>): void {
      lookUps.set(arrival, monotonicNow() + 2 * receiveTimeoutMs);
      remove(arrival);
      const end = () => endLookUp(arrival);
      looking.then(end, end);
    },
    /** Drops one delivery: its `run` rejects at once with the error, which is returned. */
    drop,
    /** Drops everything that is arriving. */
    dropAll(error: WebhookError): void {
      for (const arrival of [...arriving, ...lookUps.keys()]) drop(arrival, error);
    },
  };
}

/** The arriving deliveries of one receiver or verifier. */
export type Arrivals = ReturnType<typeof createArrivals>;
