import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Maximum bytes of a slice, which also ends behind the head of a request: the 64 KiB that Node reads at once can contain
 * ten thousand chunks or two thousand requests, which take a tenth of a second.
 */
const SLICE = 8192;
const END_OF_HEAD = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** Queues a connection to read one slice. */
export type Wait = (connection: InTurns) => void;

/** Has connections read one slice each, in turn, with other work between them. */
export function createTurns(): Wait {
  const waiting = new Set<InTurns>();

  function turn(): void {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next.readSlice();
    if (waiting.size > 0) setImmediate(turn);
  }

  return (connection) => {
    if (waiting.size === 0) setImmediate(turn);
    waiting.add(connection);
  };
}

/** A connection that is read slice by slice, in turn with the others. Implements what node:http needs of a socket. */
export class InTurns extends Duplex {
  /** Whether nothing was received since it was opened or last answered. */
  isIdle = true;
  readonly #socket: Socket;
  readonly #wait: Wait;
  #unread: Buffer = NOTHING;
  #unanswered = 0;
  #isEnded = false;

  constructor(socket: Socket, wait: Wait) {
    super({ readableHighWaterMark: SLICE });
    this.#socket = socket;
    this.#wait = wait;
    // Resets, and errors with which node:http destroys it, need no handling.
    this.on('error', () => {});
    socket
      .on('data', (chunk: Buffer) => {
        socket.pause();
        this.isIdle = false;
        this.#unread = chunk;
        this._read();
      })
      .on('end', () => {
        this.#isEnded = true;
        this.#end();
      })
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  get hasUnread(): boolean {
    return this.#unread.byteLength > 0;
  }

  readSlice(): void {
    if (this.destroyed) return;
    const most = this.#unread.subarray(0, SLICE);
    const head = most.indexOf(END_OF_HEAD);
    const slice = head < 0 ? most : most.subarray(0, head + END_OF_HEAD.length);
    this.#unread = this.#unread.subarray(slice.byteLength);
    this.push(slice);
    if (!this.hasUnread) this.#end();
  }

  /** Ends the stream once everything is read and answered: after the end, node:http writes no answer. */
  #end(): void {
    setImmediate(() => {
      if (!this.#isEnded || this.hasUnread || this.#unanswered > 0) return;
      this.#isEnded = false;
      this.push(null);
    });
  }

  /** Stops reading until the current request is answered, so that at most one slice of pipelined requests is queued. */
  hold(): void {
    this.#unanswered++;
  }

  /** Resumes reading once every request that called `hold` is answered. */
  release(): void {
    this.#unanswered--;
    if (this.hasUnread) this._read();
    else this.#end();
  }

  override _read(): void {
    if (!this.hasUnread) this.#socket.resume();
    else if (this.#unanswered === 0) this.#wait(this);
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
