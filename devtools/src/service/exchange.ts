import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AttemptResponse } from './attempt.js';
import { createCapture } from './capture.js';

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
  /** The start of the response. Never rejects. */
  readonly response?: Promise<AttemptResponse> | undefined;
}

export interface ExchangeOptions {
  readonly body: Uint8Array;
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to wait for the body of a response before its start is shown, in milliseconds. */
  readonly captureMs: number;
  /** Closes the connection after half of the body. */
  readonly dropHalfWay?: boolean | undefined;
}

/** The rest of a response is not read. */
const MOST_BYTES = 1024 * 1024;

/**
 * Sends a body with a request and reads the start of the response. Resolves once the response has started or the request
 * has failed. Follows no redirect. Never rejects.
 */
export function exchange(
  open: () => ClientRequest,
  { body, timeoutMs, captureMs, dropHalfWay }: ExchangeOptions,
): Promise<Exchanged> {
  const start = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome: Omit<Exchanged, 'durationMs'>) =>
      resolve({ ...outcome, durationMs: Math.round(performance.now() - start) });
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
    request.on('response', (response) => {
      clearTimeout(timer);
      const { statusCode: status, headers } = response;
      const leftMs = timeoutMs - (performance.now() - start);
      settle({ status, retryAfter: headers['retry-after'], response: startOf(response, leftMs, captureMs) });
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
function startOf(response: IncomingMessage, leftMs: number, captureMs: number): Promise<AttemptResponse> {
  const capture = createCapture(response);
  const end = setTimeout(() => response.destroy(), leftMs);
  return new Promise((resolve) => {
    const done = () => resolve(capture.end());
    const late = setTimeout(done, captureMs);
    response.on('data', (chunk: Buffer) => {
      capture.take(chunk);
      if (capture.full) done();
      if (capture.bytes > MOST_BYTES) response.destroy();
    });
    response.on('error', () => {});
    response.on('end', done).on('close', () => {
      clearTimeout(end);
      clearTimeout(late);
      done();
    });
  });
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : 'ERR_REQUEST';
}
