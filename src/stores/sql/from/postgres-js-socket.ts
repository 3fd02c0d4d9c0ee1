import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { checkNumber, checkOptions, MAX_TIMER_MS, optionError } from '../../../internal/check-options.js';
import { withDeadline } from '../../../internal/deadline.js';
import { storeError } from '../../bounded-calls.js';

/** Options of {@link postgresJsSocket}. */
export interface PostgresJsSocketOptions {
  /** How long the server may be silent after bytes were sent to it, and how long connecting may take, in ms. */
  readonly timeoutMs: number;
  /** `true`, or options of `tls.connect`, in place of the option `ssl` of postgres.js. (Default: no TLS.) */
  readonly tls?: boolean | object | undefined;
}

interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
  readonly ssl?: unknown;
}

/**
 * The option `socket` of postgres.js, for connections that fail when the server does not answer in time. Without it,
 * postgres.js waits forever on a half-open connection. It limits every query, so choose more than your slowest one takes.
 *
 * @example
 * ```ts
 * import { postgresJsSocket } from 'event-webhook-receiver/stores/sql/postgres-js-socket';
 * import postgres from 'postgres';
 *
 * const sql = postgres(process.env.DATABASE_URL ?? '', { fetch_types: false, ...postgresJsSocket({ timeoutMs: 10_000, tls: true }) });
 * ```
 * @param options The time in ms, and whether to use TLS.
 * @returns Options for `postgres()`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option.
 */
export function postgresJsSocket(options: PostgresJsSocketOptions): { readonly socket: (target: Target) => object } {
  checkOptions('postgresJsSocket', options, ['timeoutMs', 'tls']);
  const { timeoutMs, tls = false } = options;
  checkNumber('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  if (typeof tls !== 'boolean' && (typeof tls !== 'object' || tls === null)) {
    throw optionError('tls', 'a boolean or options of tls.connect', tls);
  }
  let connections = 0;
  return { socket: (target) => new AnsweringSocket(opened(target, connections++, tls), timeoutMs) };
}

/** A connection that is being established. */
interface Opening {
  readonly socket: Socket;
  readonly ready: Promise<Socket>;
}

function opened({ host, port, path, ssl }: Target, at: number, tls: boolean | object): Opening {
  const name = host[at % host.length] ?? 'localhost';
  const socket = path ? connect(path) : connect(port[at % port.length] ?? 5432, name);
  const ready = async () => {
    if (ssl) throw storeError('Pass `tls` to postgresJsSocket, in place of the option `ssl` of postgres.js.');
    await once(socket, 'connect');
    if (tls === false) return socket;
    socket.write(SSL_REQUEST);
    const answer = (await once(socket, 'data')) as Buffer;
    // More than one byte would be data that somebody has put before the encrypted ones.
    if (answer.toString('latin1') !== 'S') throw storeError('The Postgres server does not support TLS.');
    const secure = connectTls({ socket, ...(!isIP(name) && { servername: name }), ...(tls === true ? {} : tls) });
    await once(secure, 'secureConnect');
    return secure;
  };
  return { socket, ready: ready() };
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The next event; rejects if the socket fails or closes before. */
function once(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve).once('error', reject);
    socket.once('close', () => reject(storeError('The Postgres server closed the connection.')));
  });
}

/** A stream around the socket, which sees every answer. */
class AnsweringSocket extends Duplex {
  readonly #opening: Opening;
  readonly #timeoutMs: number;
  #socket: Socket;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(opening: Opening, timeoutMs: number) {
    super({ allowHalfOpen: false });
    this.#opening = opening;
    this.#socket = opening.socket.setNoDelay(true);
    this.#timeoutMs = timeoutMs;
  }

  /** postgres.js says goodbye on an open socket only. */
  get readyState(): string {
    return this.#socket.readyState;
  }

  setKeepAlive(enable: boolean, delayMs: number): void {
    this.#socket.setKeepAlive(enable, delayMs);
  }

  override _construct(callback: (error?: Error | null) => void): void {
    withDeadline(this.#opening.ready, this.#timeoutMs, () => this.#late()).then((socket) => {
      this.#socket = socket;
      // Also for a start that postgres.js never sends, as it may after the end of another connection.
      this.#expectAnswer();
      socket.on('data', (data) => {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        if (!this.push(data)) socket.pause();
      });
      socket.on('end', () => this.push(null));
      socket.on('error', (error) => this.destroy(error));
      socket.on('close', () => this.destroy());
      callback();
    }, callback);
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#expectAnswer();
    this.#socket.write(chunk, callback);
  }

  #expectAnswer(): void {
    this.#timer ??= setTimeout(() => this.destroy(this.#late()), this.#timeoutMs);
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
    // What TLS is on, too, and it may fail once more.
    this.#opening.socket.on('error', ignore).destroy();
    this.#socket.on('error', ignore);
  }

  #late(): Error {
    return storeError(`Postgres did not answer within ${this.#timeoutMs} ms (timeoutMs of postgresJsSocket).`);
  }
}

function ignore(): void {}
