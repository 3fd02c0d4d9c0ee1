import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Schedules reads fairly: connections take turns by the time that their reads cost. */
export interface Turns {
  /** Adds a connection that has received bytes. */
  join(connection: InTurns): void;
  /** Queues a connection to read one slice. The one with the lowest cost goes first. */
  wait(connection: InTurns): void;
}

/** @param now A monotonic clock, in milliseconds. */
export function createTurns(now = () => performance.now()): Turns {
  const waiting = new Set<InTurns>();
  /**
   * The cost at which a connection joins. A newcomer then does not wait for all others, and many newcomers do not starve
   * the rest.
   */
  let level = 0;
  let isRunning = false;

  function cheapest(): InTurns {
    let least: InTurns | undefined;
    for (const each of waiting) if (least === undefined || each.cost < least.cost) least = each;
    return least as InTurns;
  }

  /** Reads one slice, then yields to the event loop. */
  function turn(): void {
    const next = cheapest();
    waiting.delete(next);
    const start = now();
    next.readSlice();
    const ms = now() - start;
    level = Math.max(level, next.cost) + ms / (waiting.size + 1);
    next.charge(ms);
    isRunning = waiting.size > 0;
    if (isRunning) setImmediate(turn);
  }

  function wait(connection: InTurns): void {
    waiting.add(connection);
    if (!isRunning) setImmediate(turn);
    isRunning = true;
  }

  return {
    wait,
    join(connection) {
      connection.cost = Math.max(connection.cost, level);
      wait(connection);
    },
  };
}

/**
 * Sizes of a slice, in bytes: halved when a slice costs more than a millisecond, else doubled. The 64 KiB that Node reads
 * at once can contain ten thousand chunks or two thousand requests, which take a tenth of a second.
 */
const [LEAST_SLICE, FIRST_SLICE, MOST_SLICE] = [1024, 4096, 16_384];
const SLICE_MS = 1;
const NOTHING = Buffer.alloc(0);

/** A connection that is read slice by slice, in turn with the others. Implements what node:http needs of a socket. */
export class InTurns extends Duplex {
  /** Time spent on its slices, in milliseconds. */
  cost = 0;
  /** Whether nothing was received since it was opened or last answered. */
  isIdle = true;
  readonly #socket: Socket;
  readonly #turns: Turns;
  #unread: Buffer = NOTHING;
  #slice = FIRST_SLICE;
  #unanswered = 0;

  constructor(socket: Socket, turns: Turns) {
    super({ readableHighWaterMark: LEAST_SLICE });
    this.#socket = socket;
    this.#turns = turns;
    // Resets, and errors with which node:http destroys it, need no handling.
    this.on('error', () => {});
    socket
      .on('data', (chunk: Buffer) => {
        socket.pause();
        this.isIdle = false;
        this.#unread = chunk;
        if (this.#unanswered === 0) turns.join(this);
      })
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  get hasUnread(): boolean {
    return this.#unread.byteLength > 0;
  }

  readSlice(): void {
    if (this.destroyed) return;
    const slice = this.#unread.subarray(0, this.#slice);
    this.#unread = this.#unread.subarray(this.#slice);
    this.push(slice);
  }

  /** Stops reading until the current request is answered, so that at most one slice of pipelined requests is queued. */
  hold(): void {
    this.#unanswered++;
  }

  /** Resumes reading once every request that called `hold` is answered. */
  release(): void {
    this.#unanswered--;
    if (this.#unanswered === 0 && this.hasUnread) this.#turns.join(this);
  }

  /** Adds the cost of a slice. */
  charge(ms: number): void {
    this.cost += ms;
    this.#slice = ms > SLICE_MS ? Math.max(LEAST_SLICE, this.#slice / 2) : Math.min(MOST_SLICE, this.#slice * 2);
  }

  override _read(): void {
    if (!this.hasUnread) this.#socket.resume();
    else if (this.#unanswered === 0) this.#turns.wait(this);
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#unread = NOTHING;
    this.#socket.destroy();
    done(error);
  }

  /** Like net.Socket's. node:http ends connections with it; without it, it would continue to read. */
  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
}
