import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Attempt, HeaderLine } from '../deliveries/delivery-record.js';
import { type Exchanged, exchange } from '../service/exchange.js';
import { tlsReason } from '../tls-reason.js';

/** The outcome of forwarding a delivery. */
export interface Forwarded extends Exchanged {
  readonly reason?: string | undefined;
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
/** Connections that stay open for the next delivery. */
const [plainAgent, secureAgent] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];
/** Wait in ms for an incomplete body before its start is shown. */
const CAPTURE_MS = 500;

/**
 * Forwards a delivery: the same bytes and the same headers, in their order and spelling, except Host and headers of the
 * connection. Follows no redirect. Never rejects.
 */
export async function forward({ target, path, headers, body, timeoutMs, signal }: ForwardOptions): Promise<Forwarded> {
  const [send, agent] = target.protocol === 'https:' ? [httpsRequest, secureAgent] : [httpRequest, plainAgent];
  const lines = forwardedHeaders(headers, target.host, body.byteLength).flat();
  const to = destination(target, path);
  let request: ClientRequest | undefined;
  const open = () => {
    request = send(to, { method: 'POST', headers: lines, agent: request ? false : agent, ...(signal && { signal }) });
    return request;
  };
  const limits = { body, timeoutMs, captureMs: CAPTURE_MS };
  let sent = await exchange(open, limits);
  // The target closed an idle connection in the same moment, which would look like a target that is down.
  if (request?.reusedSocket && (sent.code === 'ECONNRESET' || sent.code === 'EPIPE'))
    sent = await exchange(open, limits);
  return sent.code === undefined ? sent : { ...sent, reason: reasonOf(sent.code, target, timeoutMs) };
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

function reasonOf(code: string, target: URL, timeoutMs: number): string {
  if (code === 'ETIMEDOUT') return `The target did not answer within ${timeoutMs} ms.`;
  if (code === 'ECONNREFUSED') return `Nothing is listening at ${target.host}. Is your app running?`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${target.hostname} does not exist. Check the URL.`;
  if (code === 'ECONNRESET') return 'The target closed the connection without an answer.';
  if (code.startsWith('ERR_INVALID_')) return 'The delivery could not be forwarded.';
  const tls = tlsReason(code);
  return tls === undefined ? 'The target could not be reached.' : `No TLS connection to ${target.host}: ${tls}`;
}
