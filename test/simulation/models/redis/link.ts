// What the clients of Redis have in common: a connection to the server that is opened again after it broke.
//
// Modelled: connecting takes a latency and is refused while the server is down; a handshake of one round trip, in place of
// those of the clients, before anything else is sent. Left out: connecting that hangs, TLS, several addresses.
import { Connection } from '../../kernel/connection.js';
import type { Process } from '../../kernel/process.js';
import type { RedisHost } from './host.js';
import { RedisError, type Reply, Status } from './values.js';

/** What a client does about its link. All of it is called in turns of its process. */
export interface LinkEvents {
  /** Something was written. */
  onWrite?(): void;
  /** Something was read, and its command has been settled. */
  onRead?(): void;
  /** The handshake was sent. */
  onConnect?(): void;
  /** The handshake was answered. */
  onReady(): void;
  /** The connection broke or was refused. */
  onClose(wasReady: boolean): void;
}

export class Link {
  readonly #process: Process;
  readonly #host: RedisHost;
  readonly #events: LinkEvents;
  #connection: Connection | undefined;
  #isOpening = false;
  /** Counts the connections, so that what belongs to an earlier one is told apart. */
  epoch = 0;
  isReady = false;

  constructor(process: Process, host: RedisHost, events: LinkEvents) {
    this.#process = process;
    this.#host = host;
    this.#events = events;
  }

  connect(): void {
    const epoch = ++this.epoch;
    this.#isOpening = true;
    this.#process.deliver(this.#process.world.choices.latency(), () => {
      if (epoch !== this.epoch) return;
      this.#isOpening = false;
      if (!this.#host.server.isUp) {
        this.#closed();
        return;
      }
      const connection = new Connection(this.#process, this.#host.server);
      this.#connection = connection;
      connection.onClose('client', () => {
        if (this.#connection === connection) this.#closed();
      });
      this.write(['ping'], () => {
        this.isReady = true;
        this.#events.onReady();
      });
      this.#events.onConnect?.();
    });
  }

  /** Sends a command; `read` is called with the reply, unless the connection breaks before. */
  write(args: readonly string[], read: (reply: Reply) => void): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.send(() => {
      const reply = this.#host.serve(this.#process, args);
      connection.answer(() => {
        if (this.#connection !== connection) return;
        read(reply);
        this.#events.onRead?.();
      });
    });
    this.#events.onWrite?.();
  }

  /** Closes what is open, or is being opened. */
  destroy(): void {
    if (!this.#isOpening && this.#connection === undefined) return;
    this.#connection?.close();
    this.#closed();
  }

  #closed(): void {
    const wasReady = this.isReady;
    this.#connection = undefined;
    this.#isOpening = false;
    this.isReady = false;
    this.epoch++;
    this.#events.onClose(wasReady);
  }
}

/** A command whose caller waits. */
export interface Pending {
  readonly args: readonly string[];
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function settle({ resolve, reject }: Pending, reply: Reply): void {
  if (reply instanceof RedisError) reject(new Error(reply.message));
  else resolve(plain(reply));
}

/** A reply as the clients pass it on. */
export function plain(reply: Reply): unknown {
  if (reply instanceof Status) return reply.text;
  if (reply instanceof RedisError) return new Error(reply.message);
  return Array.isArray(reply) ? reply.map(plain) : reply;
}
