import { Connection } from '../kernel/connection.js';
import type { Process } from '../kernel/process.js';
import { NetworkError } from '../kernel/request.js';
import type { Server } from '../kernel/server.js';

export interface WireOptions {
  /** Whether commands without an answer are sent again on the next connection, as ioredis does; or else they are rejected. */
  readonly resends: boolean;
  /** After how long without any answer the client gives a connection up. */
  readonly silentMs: number;
}

const RECONNECT_MS = 20;

interface Command {
  readonly serve: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly sentAt: number;
}

/** A client's connection to a server, which is opened again when it breaks. Commands are served in order. */
export class Wire {
  #connection: Connection | undefined;
  #pending: Command[] = [];
  #isWatched = false;

  constructor(
    private readonly process: Process,
    private readonly server: Server,
    private readonly options: WireOptions,
  ) {}

  /** Runs `serve` on the server, maybe again if the answer was lost. */
  call<T>(serve: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const command = { serve, resolve, reject, sentAt: this.process.time } as Command;
      this.#pending.push(command);
      this.#connection ??= this.#connect();
      this.#send(command, this.#connection);
      this.#watch();
    });
  }

  #connect(): Connection {
    const connection = new Connection(this.process, this.server);
    connection.onClose('client', () => this.#onBroken(connection));
    return connection;
  }

  #send(command: Command, connection: Connection): void {
    connection.send(() => {
      const value = command.serve();
      connection.answer(() => {
        const index = this.#pending.indexOf(command);
        if (index < 0) return;
        this.#pending.splice(index, 1);
        command.resolve(value);
      });
    });
  }

  /** A half-open connection is given up in the end. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const timer = this.process.setTimeout(() => {
      this.#isWatched = false;
      const [first] = this.#pending;
      if (first === undefined) return;
      const connection = this.#connection;
      if (connection && this.process.time - first.sentAt >= this.options.silentMs - 1) {
        connection.close();
        this.#onBroken(connection);
      }
      if (this.#pending.length > 0) this.#watch();
    }, this.options.silentMs);
    timer.unref();
  }

  #onBroken(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (!this.options.resends) {
      const lost = this.#pending;
      this.#pending = [];
      for (const { reject } of lost) reject(new NetworkError('ECONNRESET'));
      return;
    }
    this.process.setTimeout(() => {
      if (this.#connection || this.#pending.length === 0) return;
      this.#connection = this.#connect();
      this.#pending = this.#pending.map((command) => ({ ...command, sentAt: this.process.time }));
      for (const command of this.#pending) this.#send(command, this.#connection);
    }, RECONNECT_MS);
  }
}
