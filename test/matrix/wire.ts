import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HeaderList } from './cases/delivery.js';

export { piecesOf } from './cases/delivery.js';
export type { HeaderList };

export interface Answer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The head of a request, byte for byte as it is given: names in any case, repeated, with any Content-Length. */
export function head(headers: HeaderList, method = 'POST', path = '/webhooks'): Buffer {
  const fields = [['Host', 'localhost'], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n`, 'latin1');
}

/** Pieces in chunked transfer coding, with the last chunk. */
export function chunked(pieces: readonly Uint8Array[]): Buffer {
  const chunks = pieces.flatMap((piece) => [
    Buffer.from(`${piece.byteLength.toString(16)}\r\n`),
    piece,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

/** One TCP connection that speaks HTTP/1.1 by hand, because real clients refuse to send what has to be tested. */
export class Wire {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #open = true;
  #changed: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#changed();
    });
    socket.on('close', () => {
      this.#open = false;
      this.#changed();
    });
    // A reset is one of the ways in which a connection closes.
    socket.on('error', () => {});
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Resolves when the bytes are on their way, or cannot be any more. */
  async send(...pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) await new Promise<void>((resolve) => this.#socket.write(piece, () => resolve()));
  }

  /** The next final answer, or undefined when the connection closed without one. */
  async answer(): Promise<Answer | undefined> {
    for (;;) {
      const parsed = parseAnswer(this.#unread);
      if (parsed !== undefined) {
        this.#unread = parsed.rest;
        if (parsed.answer.status >= 200) return parsed.answer;
      } else if (this.#open) {
        await this.#change();
      } else {
        return undefined;
      }
    }
  }

  /** Resolves when the connection has closed. */
  async closed(): Promise<void> {
    while (this.#open) await this.#change();
  }

  /** Sends no more. */
  end(): void {
    this.#socket.end();
  }

  /** Breaks the connection off. */
  cut(): void {
    this.#socket.resetAndDestroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

/** The answer to bytes on a connection of their own. */
export async function answerTo(port: number, ...pieces: readonly Uint8Array[]): Promise<Answer | undefined> {
  const wire = await Wire.open(port);
  await wire.send(...pieces);
  const answer = await wire.answer();
  wire.end();
  return answer;
}

function parseAnswer(bytes: Buffer): { answer: Answer; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => line.split(/: */, 2)).map(([name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const read = headers.get('transfer-encoding') === 'chunked' ? readChunked : readPlain;
  const body = read(bytes.subarray(end + 4), Number(headers.get('content-length') ?? 0));
  return body && { answer: { status: Number(statusLine.split(' ')[1]), headers, body: body.text }, rest: body.rest };
}

function readPlain(bytes: Buffer, length: number): { text: string; rest: Buffer } | undefined {
  return bytes.length < length ? undefined : { text: bytes.toString('utf8', 0, length), rest: bytes.subarray(length) };
}

function readChunked(bytes: Buffer): { text: string; rest: Buffer } | undefined {
  let text = '';
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    const next = end + 2 + size + 2;
    if (end < 0 || bytes.length < next) return undefined;
    if (size === 0) return { text, rest: bytes.subarray(next) };
    text += bytes.toString('utf8', end + 2, end + 2 + size);
    at = next;
  }
}
