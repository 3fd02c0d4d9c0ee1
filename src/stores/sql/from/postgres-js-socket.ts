import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { checkNumber, checkOptions, MAX_TIMER_MS } from '../../../internal/check-options.js';

interface ConnectionOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
}

/**
 * The option `socket` of postgres.js, for connections that fail when the server does not answer in time. Without it,
 * postgres.js waits forever on a half-open connection. It limits every query, so choose more than your slowest one takes.
 *
 * @example
 * ```ts
 * import { postgresJsSocket } from 'event-webhook-receiver/stores/sql';
 * import postgres from 'postgres';
 *
 * const sql = postgres(process.env.DATABASE_URL ?? '', { max: 10, ...postgresJsSocket({ timeoutMs: 10_000 }) });
 * ```
 * @param options `timeoutMs`: how long the server may be silent after bytes were sent to it, in ms.
 * @returns Options for `postgres()`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function postgresJsSocket(options: { readonly timeoutMs: number }): {
  readonly socket: (options: ConnectionOptions) => Duplex;
} {
  checkOptions('postgresJsSocket', options, ['timeoutMs']);
  const { timeoutMs } = options;
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  let connections = 0;
  return {
    socket({ host, port, path }) {
      const at = connections++ % host.length;
      const name = host[at] ?? 'localhost';
      return new AnsweringSocket(path ? connect(path) : connect(port[at] ?? 5432, name), name, timeoutMs);
    },
  };
}

/** A stream around the socket, because TLS uses the handle of a socket directly and would bypass its events. */
class AnsweringSocket extends Duplex {
  /** The name for TLS. */
  readonly host: string;
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Socket, host: string, timeoutMs: number) {
    super({ allowHalfOpen: false });
    this.host = host;
    this.#socket = socket.setNoDelay(true);
    this.#timeoutMs = timeoutMs;
    socket.on('data', (data) => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (!this.push(data)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** postgres.js says goodbye on an open socket only. */
  get readyState(): string {
    return this.#socket.readyState;
  }

  setKeepAlive(enable: boolean, delayMs: number): void {
    this.#socket.setKeepAlive(enable, delayMs);
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#timer ??= setTimeout(() => {
      this.destroy(new Error(`Postgres did not answer within ${this.#timeoutMs} ms (timeoutMs of postgresJsSocket).`));
    }, this.#timeoutMs);
    this.#socket.write(chunk, callback);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _final(callback: () => void): void {
    clearTimeout(this.#timer);
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    // postgres.js writes in an immediate, and never again if it learns of the end before: its connection would hang forever.
    const close = () => setImmediate(callback, error);
    if (this.#socket.closed) close();
    else this.#socket.once('close', close);
    this.#socket.destroy();
  }
}
