import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { HeaderLine } from './attempt.js';

/** What came of one POST. */
export interface Answer {
  /** Absent when there was no answer. */
  readonly status?: number | undefined;
  /** Why there is none, or what is wrong with it. */
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
  /** Milliseconds until the answer began, or until it was clear that there is none. */
  readonly durationMs: number;
  /** What the answer asks for in Retry-After. */
  readonly retryAfter?: string | undefined;
}

/** One POST. */
export interface Post {
  readonly url: string;
  /** Sent as they are spelled, in this order. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** How long all of it may take. */
  readonly timeoutMs: number;
  /** Ends it at once; what it then resolves with has no meaning. */
  readonly signal: AbortSignal;
  readonly dropHalfWay?: boolean | undefined;
}

/** Sends over connections that it keeps. */
export interface Sender {
  /** Never rejects. Follows no redirect, and reads no more than a little of an answer. */
  send(post: Post): Promise<Answer>;
  /** Closes what is open. */
  close(): void;
}

/** An answer's body says nothing that counts: beyond this many bytes the connection is given up instead. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** Shorter than servers keep connections that nobody uses. */
const IDLE_MS = 2000;

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ECONNRESET: 'the connection was closed before there was an answer',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'the connection could not be made in time',
  EPIPE: 'the connection was closed while the body was sent',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
};

export function createSender(): Sender {
  const http = new Agent({ keepAlive: true, timeout: IDLE_MS });
  let https: Promise<{ request: typeof httpRequest; agent: HttpsAgent }> | undefined;

  // TLS is loaded when somebody needs it.
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
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`, 'ETIMEDOUT'), timeoutMs);
    const abort = () => fail('ended', 'ABORT_ERR');

    function note(found: Omit<Answer, 'durationMs'>): void {
      answer ??= { ...found, durationMs: Math.round(performance.now() - begun) };
    }
    /** Once there is an answer, what comes after it changes nothing. */
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      note({ reason: REASONS.ECONNRESET, code: 'ECONNRESET' });
      resolve(answer as Answer);
    }
    function fail(reason: string, code: string): void {
      note({ reason, code });
      request.destroy();
      end();
    }

    const request = open();
    // Go writes none.
    request.removeHeader('Connection');
    request.on('error', ({ code = 'ERR_REQUEST' }: NodeJS.ErrnoException) => {
      fail(REASONS[code] ?? 'the request failed', code);
    });
    request.on('close', end);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const redirect = status >= 300 && status < 400;
      note({
        status,
        ...(redirect && { reason: 'a redirect, which is not followed', code: 'REDIRECT' }),
        retryAfter: response.headers['retry-after'],
      });
      let bytes = 0;
      response.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy();
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
