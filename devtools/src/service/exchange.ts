import type { ClientRequest, IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';
import type { AttemptResponse, HeaderLine } from './attempt.js';

/** The result of one POST. */
export interface Exchanged {
  /** The status of the response; undefined without one. */
  readonly status?: number | undefined;
  /** The Retry-After header of the response. */
  readonly retryAfter?: string | undefined;
  /** Without a response: Node's error code, ETIMEDOUT after the time limit, or DROPPED. */
  readonly code?: string | undefined;
  /** Milliseconds until the response started or the request failed. */
  readonly durationMs: number;
  /** Whether a connection was established. */
  readonly connected: boolean;
  /** The start of the response, decompressed. Never rejects. */
  readonly response?: Promise<AttemptResponse> | undefined;
}

export interface ExchangeOptions {
  readonly body: Uint8Array;
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to wait for the body of a response before its start is shown, in milliseconds. */
  readonly captureMs: number;
  /** How much of a response is kept: headers and body together. (Default: 16 KiB.) */
  readonly keepBytes?: number | undefined;
  /** Closes the connection after half of the body. */
  readonly dropHalfWay?: boolean | undefined;
}

const KEEP_BYTES = 16 * 1024;
/** Limit of the headers that are kept. */
const MOST_HEADERS = 8 * 1024;
/** More of a response is not read, or decompressed. */
const MOST_BYTES = 1024 * 1024;

/**
 * Sends a body with a request and reads the start of the response. Resolves once the response has started or the request
 * has failed. Follows no redirect. Never rejects.
 *
 * @param open Called again with `true`, for a new connection, if the server closed an idle one, which would look like a
 * server that is down.
 */
export async function exchange(
  open: (isAgain: boolean) => ClientRequest,
  options: ExchangeOptions,
): Promise<Exchanged> {
  let request: ClientRequest | undefined;
  const first = await exchangeOnce(() => {
    request = open(false);
    return request;
  }, options);
  const isStale = request?.reusedSocket && (first.code === 'ECONNRESET' || first.code === 'EPIPE');
  return isStale ? await exchangeOnce(() => open(true), options) : first;
}

function exchangeOnce(
  open: () => ClientRequest,
  { body, timeoutMs, captureMs, keepBytes = KEEP_BYTES, dropHalfWay }: ExchangeOptions,
): Promise<Exchanged> {
  const start = performance.now();
  return new Promise((resolve) => {
    let connected = false;
    const settle = (outcome: Omit<Exchanged, 'durationMs' | 'connected'>) =>
      resolve({ ...outcome, connected, durationMs: performance.now() - start });
    let request: ClientRequest;
    try {
      request = open();
    } catch (error) {
      settle({ code: codeOf(error) });
      return;
    }
    const end = (code: string) => {
      settle({ code });
      request.destroy();
    };
    const timer = setTimeout(end, timeoutMs, 'ETIMEDOUT');
    request.on('socket', (socket) => {
      connected = request.reusedSocket;
      if (connected) return;
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        connected = true;
      });
    });
    request.on('response', (response) => {
      clearTimeout(timer);
      const { statusCode: status, headers } = response;
      const leftMs = timeoutMs - (performance.now() - start);
      settle({
        status,
        retryAfter: headers['retry-after'],
        response: startOf(response, { leftMs, captureMs, keepBytes }),
      });
    });
    // A protocol upgrade does not answer a delivery.
    request.on('upgrade', (_response, socket) => socket.destroy());
    request.on('error', (error) => settle({ code: codeOf(error) }));
    request.on('close', () => {
      clearTimeout(timer);
      settle({ code: 'ECONNRESET' });
    });
    if (dropHalfWay) request.write(body.subarray(0, body.length >> 1), () => end('DROPPED'));
    else request.end(body);
  });
}

/** The start of a response. The rest is read and dropped, within limits, so that the receiver can end it. */
function startOf(
  response: IncomingMessage,
  { leftMs, captureMs, keepBytes }: { leftMs: number; captureMs: number; keepBytes: number },
): Promise<AttemptResponse> {
  const { headers, size } = headersOf(response.rawHeaders);
  const room = keepBytes - size;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kept = 0;
  const end = setTimeout(() => response.destroy(), leftMs);
  return new Promise((resolve) => {
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      clearTimeout(late);
      const body = decoded(Buffer.concat(chunks), response.headers['content-encoding']);
      const isWhole = response.complete && bytes === kept && body.byteLength <= room;
      const bodyBase64 = body.subarray(0, room).toString('base64');
      resolve({ headers, bodyBase64, bytes, ...(!isWhole && { truncated: true }) });
    };
    const late = setTimeout(done, captureMs);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      // A copy: a slice would keep the whole buffer of the socket.
      const part = Uint8Array.from(chunk.subarray(0, room - kept));
      kept += part.byteLength;
      if (part.byteLength > 0) chunks.push(part);
      if (bytes > room) done();
      if (bytes > MOST_BYTES) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', () => {
      clearTimeout(end);
      done();
    });
  });
}

function headersOf(raw: readonly string[]): { headers: HeaderLine[]; size: number } {
  const headers: HeaderLine[] = [];
  let size = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = raw.slice(at, at + 2) as [string, string];
    const line = name.length + value.length;
    if (size + line > MOST_HEADERS) continue;
    size += line;
    headers.push([name, value]);
  }
  return { headers, size };
}

/** The start of a body without its Content-Encoding; unchanged if the encoding is unknown or wrong. */
function decoded(body: Buffer, encoding = ''): Buffer {
  const isBrotli = /^br$/i.test(encoding);
  if (!isBrotli && !/^(?:(?:x-)?gzip|deflate)$/i.test(encoding)) return body;
  // The end may be missing, and a small body may contain gigabytes.
  const finishFlush = isBrotli ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
  try {
    const start = (isBrotli ? brotliDecompressSync : unzipSync)(body, { finishFlush, maxOutputLength: MOST_BYTES });
    return start.byteLength > 0 ? start : body;
  } catch {
    return body;
  }
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'ERR_REQUEST';
}
