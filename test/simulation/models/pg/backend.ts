import type { Connection } from '../../kernel/connection.js';
import type { PostgresError } from '../postgres/errors.js';
import type { Result, Session } from '../postgres/server.js';
import type { PostgresService } from './service.js';

/** The client's end of a connection: gets what the server says. */
export interface Frontend {
  answer(error: PostgresError | undefined, results: readonly Result[]): void;
  /** The server ends the session, and says why. */
  fatal(error: PostgresError): void;
  /** The server has closed the connection. */
  ended(): void;
}

/** The server's end of a connection: a backend with its session. */
export class Backend {
  readonly #service: PostgresService;
  readonly #connection: Connection;
  readonly #frontend: Frontend;
  readonly #session: Session;
  #isOver = false;

  constructor(service: PostgresService, connection: Connection, frontend: Frontend) {
    this.#service = service;
    this.#connection = connection;
    this.#frontend = frontend;
    this.#session = service.database.connect();
    this.#session.onTerminate((error) => {
      if (this.#isOver) return;
      this.#isOver = true;
      connection.answer(() => frontend.fatal(error));
      connection.answer(() => frontend.ended());
    });
    connection.onClose('server', () => this.leave());
    service.server.onStop(() => this.#stop());
  }

  query(text: string): void {
    if (this.#isOver) return;
    const { world } = this.#service.server;
    const arrivedAt = world.now;
    this.#session.query(text, (error, results) => {
      // What terminates the session is said once.
      if (error?.severity === 'FATAL') return;
      const tookMs = world.now - arrivedAt;
      for (const listener of this.#service.onAnswer) listener(text, error ? undefined : results, tookMs);
      this.#connection.answer(() => this.#frontend.answer(error, results));
    });
    this.#service.rearm();
  }

  /** The client is gone. The session ends once the message under way has been run. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.end();
    this.#connection.answer(() => this.#frontend.ended());
    this.#service.rearm();
  }

  #stop(): void {
    this.#isOver = true;
    this.#session.terminate();
  }
}
