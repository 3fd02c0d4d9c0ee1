import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Shares the time of this process among connections by what reading from each costs. */
export interface Turns {
  /** Something has come on a connection. */
  join(connection: InTurns): void;
  /** Has a connection read a slice when it is its turn: of those that wait, the one that has cost least. */
  wait(connection: InTurns): void;
}

/** @param now A clock in milliseconds that cannot be set. */
export function createTurns(now = () => performance.now()): Turns {
  const waiting = new Set<InTurns>();
  /**
   * What each connection that waits might have cost by now. One that joins starts here, so that it neither waits for all others
   * nor, when newcomers are many, keeps them waiting.
   */
  let level = 0;
  let isRunning = false;

  function cheapest(): InTurns {
    let least: InTurns | undefined;
    for (const each of waiting) if (least === undefined || each.cost < least.cost) least = each;
    return least as InTurns;
  }

  /** Reads one slice, after which everything else has its turn. */
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
 * Bytes that are read at once: fewer while they cost more than a millisecond, more while they cost less. 64 KiB, which
 * Node reads, can be ten thousand chunks or two thousand requests, and so a tenth of a second.
 */
const [LEAST_SLICE, FIRST_SLICE, MOST_SLICE] = [1024, 4096, 16_384];
const SLICE_MS = 1;
const NOTHING = Buffer.alloc(0);

/** A connection from which a slice is read at a time, when it is its turn. It is what node:http needs of a socket. */
export class InTurns extends Duplex {
  /** Milliseconds. */
  cost = 0;
  /** Nothing has come since it was opened or since the last answer. */
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
    // One that is reset is of no interest, nor is one that node:http destroys with an error.
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

  /** A request has come: what follows it is not read until it is answered, so that no more than a slice of them piles up. */
  hold(): void {
    this.#unanswered++;
  }

  /** A request that held it is answered. */
  release(): void {
    this.#unanswered--;
    if (this.#unanswered === 0 && this.hasUnread) this.#turns.join(this);
  }

  /** Counts what a slice has cost. */
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

  /** As of a net.Socket: node:http ends a connection with it, and without it would go on to read from it. */
  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
}
