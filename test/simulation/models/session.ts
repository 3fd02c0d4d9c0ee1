import { Connection } from '../kernel/connection.js';
import type { Process } from '../kernel/process.js';
import { NetworkError } from '../kernel/request.js';
import type { Server } from '../kernel/server.js';

/** A connection for one transaction. A call fails when the connection breaks, or has no answer in time. */
export class Session {
  readonly process: Process;
  readonly connection: Connection;
  readonly #timeoutMs: number;
  readonly #pending = new Set<(error: Error) => void>();

  constructor(process: Process, server: Server, timeoutMs: number) {
    this.process = process;
    this.connection = new Connection(process, server);
    this.#timeoutMs = timeoutMs;
    this.connection.onClose('client', () => this.#fail());
  }

  call<T>(serve: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.connection.isOpen) reject(new NetworkError('EPIPE'));
      this.#pending.add(reject);
      const timer = this.process.setTimeout(() => this.close(), this.#timeoutMs);
      const settle = (act: () => void) => {
        timer.clear();
        if (this.#pending.delete(reject)) act();
      };
      this.connection.send(() => {
        try {
          const value = serve();
          this.connection.answer(() => settle(() => resolve(value)));
        } catch (error) {
          this.connection.answer(() => settle(() => reject(error)));
        }
      });
    });
  }

  close(): void {
    this.connection.close();
    this.#fail();
  }

  #fail(): void {
    for (const reject of this.#pending) reject(new NetworkError('ECONNRESET'));
    this.#pending.clear();
  }
}
