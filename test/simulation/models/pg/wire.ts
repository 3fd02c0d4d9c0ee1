import { EventEmitter } from 'node:events';
import { Connection } from '../../kernel/connection.js';
import type { Process } from '../../kernel/process.js';
import type { PostgresError } from '../postgres/errors.js';
import type { Result } from '../postgres/server.js';
import { Backend, type Frontend } from './backend.js';
import type { PostgresService } from './service.js';

/**
 * What pg's `Connection` is to its `Client`: messages instead of bytes, over a connection of the kernel. Left out: TLS,
 * passwords, notices, and the extended protocol, which the store does not use.
 */
export class Wire extends EventEmitter implements Frontend {
  // What pg's Client and Query read of it.
  readonly parsedStatements = {};
  readonly submittedNamedStatements = {};
  readonly stream = { destroy: () => this.#destroy() };
  _connecting = false;

  readonly #process: Process;
  readonly #service: PostgresService;
  #connection: Connection | undefined;
  #backend: Backend | undefined;
  #isEnded = false;

  constructor(process: Process, service: PostgresService) {
    super();
    this.#process = process;
    this.#service = service;
  }

  connect(): void {
    this._connecting = true;
    const { server } = this.#service;
    const connection = new Connection(this.#process, server);
    this.#connection = connection;
    connection.onClose('client', () => this.#broken('ECONNRESET'));
    if (server.isUp) connection.send(() => connection.answer(() => this.emit('connect')));
    else this.#process.deliver(this.#process.world.choices.latency(), () => this.#broken('ECONNREFUSED'));
  }

  startup(): void {
    this.#send((connection) => {
      this.#backend = new Backend(this.#service, connection, this);
      connection.answer(() => this.emit('readyForQuery'));
    });
  }

  query(text: string): void {
    this.#process.world.history.add(this.#process.name, shortened(text));
    this.#send(() => this.#backend?.query(text));
  }

  /** Takes leave of the server, which then closes the connection. */
  end(): void {
    this.#send(() => this.#backend?.leave());
  }

  answer(error: PostgresError | undefined, results: readonly Result[]): void {
    for (const { rows, rowCount, command } of results) {
      const [first] = rows;
      if (first) this.emit('rowDescription', { fields: Object.keys(first).map((name) => ({ name })) });
      for (const row of rows) this.emit('dataRow', { fields: Object.values(row) });
      this.emit('commandComplete', { text: rowCount === null ? command : `${command} ${rowCount}` });
    }
    if (error) this.emit('errorMessage', error);
    this.emit('readyForQuery');
  }

  fatal(error: PostgresError): void {
    this.emit('errorMessage', error);
  }

  ended(): void {
    this.#connection?.close();
    this.#end();
  }

  ref(): void {}
  unref(): void {}

  #send(arrive: (connection: Connection) => void): void {
    const connection = this.#connection;
    if (connection?.isOpen) connection.send(() => arrive(connection));
  }

  #broken(code: 'ECONNRESET' | 'ECONNREFUSED'): void {
    if (this.#isEnded) return;
    this.emit('error', Object.assign(new Error(`The connection broke: ${code}`), { code }));
    this.#end();
  }

  #destroy(): void {
    this.#connection?.close();
    // A socket emits `close` after the turn that destroys it.
    queueMicrotask(() => this.#end());
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.emit('end');
  }
}

/** The beginning of a statement, for the history. */
function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/\s+/g, ' ')}…` : text;
}

const LONGEST = 120;
