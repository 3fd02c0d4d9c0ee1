import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Attempt, AttemptResponse, HeaderLine } from '../deliveries/delivery-record.js';
import { createCapture } from '../service/capture.js';
import { tlsReason } from '../tls-reason.js';

/** The outcome of forwarding a delivery. */
export interface Forwarded {
  /** The status of the target's answer; undefined without an answer. */
  readonly status?: number | undefined;
  /** Its Retry-After header. */
  readonly retryAfter?: string | undefined;
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
  readonly durationMs: number;
  /** The start of the answer: resolves soon after the status, and never rejects. */
  readonly response?: Promise<AttemptResponse> | undefined;
}

export interface ForwardOptions {
  readonly target: URL;
  /** Path and query of the delivery, which a target without a path keeps. */
  readonly path: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Headers of the connection, not of the delivery. */
const OF_THE_CONNECTION = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
);
/** The rest of an answer's body is not read. */
const MOST_BYTES = 1024 * 1024;
/** Wait in ms for an incomplete body before its start is shown. */
const CAPTURE_MS = 500;

/**
 * Forwards a delivery: the same bytes and the same headers, in their order and spelling, except Host and headers of the
 * connection. Follows no redirect. Never rejects.
 */
export function forward({ target, path, headers, body, timeoutMs, signal }: ForwardOptions): Promise<Forwarded> {
  const start = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome: Omit<Forwarded, 'durationMs'>) =>
      resolve({ ...outcome, durationMs: Math.round(performance.now() - start) });
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    let request: ClientRequest;
    try {
      const lines = forwardedHeaders(headers, target.host, body.byteLength);
      // A new connection: an idle one that the target has just closed would look like a target that is down.
      request = send(destination(target, path), {
        method: 'POST',
        headers: lines.flat(),
        agent: false,
        ...(signal && { signal }),
      });
    } catch (error) {
      settle({ code: codeOf(error), reason: 'The delivery could not be forwarded.' });
      return;
    }
    const timer = setTimeout(() => {
      settle({ code: 'ETIMEDOUT', reason: `The target did not answer within ${timeoutMs} ms.` });
      request.destroy();
    }, timeoutMs);
    request.on('response', (response) => {
      clearTimeout(timer);
      const { statusCode: status, headers } = response;
      settle({ status, retryAfter: headers['retry-after'], response: startOf(response, timeoutMs) });
    });
    // A protocol upgrade does not answer a delivery.
    request.on('upgrade', (_response, socket) => socket.destroy());
    request.on('error', (error) => settle({ code: codeOf(error), reason: reasonOf(error, target) }));
    request.on('close', () => {
      clearTimeout(timer);
      settle({ code: 'ECONNRESET', reason: 'The target closed the connection without an answer.' });
    });
    request.end(body);
  });
}

/** Where a delivery goes: the target, with the path of the delivery if the target has none. */
function destination(target: URL, path: string): URL {
  if (target.pathname !== '/' || target.search !== '') return target;
  const to = new URL(target);
  // Set one by one: as a relative URL, a path such as //host would name another host.
  const [, pathname = '', search = ''] = /^([^?]*)(.*)$/s.exec(path) as RegExpExecArray;
  to.pathname = pathname;
  to.search = search;
  return to;
}

/** The sender's answer: that of the target, or 503. */
export function answerOf({ status, reason, code }: Forwarded): Partial<Attempt> {
  if (status === undefined) return { status: 503, reason, code };
  return { status, reason: status >= 200 && status < 300 ? undefined : `The target answered ${status}.` };
}

function forwardedHeaders(headers: readonly HeaderLine[], host: string, bytes: number): [string, string][] {
  // Headers that Connection names belong to the connection too.
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  const dropped = new Set([...OF_THE_CONNECTION, ...named]);
  const lines: [string, string][] = [];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === 'host') lines.push([name, host]);
    else if (lower === 'content-length') lines.push([name, String(bytes)]);
    else if (!dropped.has(lower)) lines.push([name, value]);
  }
  const has = (wanted: string) => lines.some(([name]) => name.toLowerCase() === wanted);
  if (!has('host')) lines.unshift(['Host', host]);
  if (!has('content-length')) lines.push(['Content-Length', String(bytes)]);
  return lines;
}

/** The start of an answer. The rest is read and dropped, within limits, so that the target can end it. */
function startOf(response: IncomingMessage, timeoutMs: number): Promise<AttemptResponse> {
  const capture = createCapture(response);
  const end = setTimeout(() => response.destroy(), timeoutMs);
  return new Promise((resolve) => {
    const done = () => resolve(capture.end());
    const late = setTimeout(done, CAPTURE_MS);
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
  return typeof code === 'string' ? code : 'ERR_FORWARD';
}

function reasonOf(error: unknown, target: URL): string {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `Nothing is listening at ${target.host}. Is your app running?`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${target.hostname} does not exist. Check the URL.`;
  if (code === 'ECONNRESET') return 'The target closed the connection without an answer.';
  const tls = tlsReason(code);
  return tls === undefined ? 'The target could not be reached.' : `No TLS connection to ${target.host}: ${tls}`;
}
