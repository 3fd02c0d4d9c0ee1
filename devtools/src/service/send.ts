import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { tlsReason } from '../tls-reason.js';
import type { AttemptResponse, HeaderLine } from './attempt.js';
import { type Capture, createCapture } from './capture.js';

/** The result of one POST. */
export interface Answer {
  /** The HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** Why there was no response, or what is wrong with it. */
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
  /** Milliseconds until the response started or the request failed. */
  readonly durationMs: number;
  /** The Retry-After header of the response. */
  readonly retryAfter?: string | undefined;
  /** The start of the response. */
  readonly response?: AttemptResponse | undefined;
}

/** One POST. */
export interface Post {
  readonly url: string;
  /** Sent in this order and spelling. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the request; ignore the result then. */
  readonly signal: AbortSignal;
  readonly dropHalfWay?: boolean | undefined;
}

/** Sends POSTs over keep-alive connections. */
export interface Sender {
  /** Never rejects. Does not follow redirects, and reads only the start of a response body. */
  send(post: Post): Promise<Answer>;
  /** Closes all connections. */
  close(): void;
}

/** Shorter than the keep-alive timeout of common servers. */
const IDLE_MS = 2000;

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused: nothing is listening at this address',
  ECONNRESET: 'the connection was closed before a response',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'DNS lookup failed',
  ETIMEDOUT: 'the connection timed out',
  EPIPE: 'the connection was closed while the body was being sent',
  HPE_HEADER_OVERFLOW: 'the response headers are too large',
};

export function createSender(): Sender {
  const http = new Agent({ keepAlive: true, timeout: IDLE_MS });
  let https: Promise<{ request: typeof httpRequest; agent: HttpsAgent }> | undefined;

  // Loaded on first use: most receivers under development use http.
  const secure = () => {
    https ??= import('node:https').then((module) => {
      return { request: module.request, agent: new module.Agent({ keepAlive: true, timeout: IDLE_MS }) };
    });
    return https;
  };

  return {
    async send(post) {
      const target = new URL(post.url);
      const { request, agent } = target.protocol === 'https:' ? await secure() : { request: httpRequest, agent: http };
      const headers = Object.fromEntries(post.headers);
      return exchange(post, () => request(target, { method: 'POST', agent, headers }));
    },
    close() {
      http.destroy();
      https?.then(({ agent }) => agent.destroy()).catch(() => {});
    },
  };
}

function exchange({ body, timeoutMs, signal, dropHalfWay }: Post, open: () => ClientRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const begun = performance.now();
    let answer: Answer | undefined;
    let capture: Capture | undefined;
    const timer = setTimeout(() => fail(`no response within ${timeoutMs} ms`, 'ETIMEDOUT'), timeoutMs);
    const abort = () => fail('aborted', 'ABORT_ERR');

    function note(found: Omit<Answer, 'durationMs'>): void {
      answer ??= { ...found, durationMs: Math.round(performance.now() - begun) };
    }
    /** After a response has started, later errors do not change the result. */
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      note({ reason: REASONS.ECONNRESET, code: 'ECONNRESET' });
      const noted = answer as Answer;
      if (capture === undefined) resolve(noted);
      else void capture.end().then((response) => resolve({ ...noted, response }));
    }
    function fail(reason: string, code: string): void {
      note({ reason, code });
      request.destroy();
      end();
    }

    const request = open();
    // Go's HTTP client does not send one.
    request.removeHeader('Connection');
    request.on('error', ({ code = 'ERR_REQUEST' }: NodeJS.ErrnoException) => {
      fail(REASONS[code] ?? tlsReason(code)?.replace(/\.$/, '') ?? 'the request failed', code);
    });
    request.on('close', end);
    request.on('response', (response) => {
      const status = response.statusCode as number;
      const redirect = status >= 300 && status < 400;
      note({
        status,
        ...(redirect && { reason: 'redirects are not followed', code: 'REDIRECT' }),
        retryAfter: response.headers['retry-after'],
      });
      const captured = createCapture(response);
      capture = captured;
      response.on('data', (chunk: Uint8Array) => {
        captured.take(chunk);
        if (captured.full) request.destroy();
      });
      response.on('error', end).on('end', end);
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    if (dropHalfWay) {
      const drop = () => fail('the connection was closed halfway, as requested', 'DROPPED');
      request.write(body.subarray(0, body.length >> 1), drop);
    } else request.end(body);
  });
}
