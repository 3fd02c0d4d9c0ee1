import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Attempt, HeaderLine } from '../deliveries/delivery-record.js';
import { networkReason } from '../network-errors.js';
import { type Exchanged, exchange } from '../service/exchange.js';

/** The outcome of forwarding a delivery. */
export interface Forwarded extends Omit<Exchanged, 'connected'> {
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
  const open = (isAgain: boolean) =>
    send(to, { method: 'POST', headers: lines, agent: isAgain ? false : agent, ...(signal && { signal }) });
  const sent = await exchange(open, { body, timeoutMs, captureMs: CAPTURE_MS });
  const durationMs = Math.round(sent.durationMs);
  if (sent.code === undefined) return { ...sent, durationMs };
  return { ...sent, durationMs, reason: `No response from ${target.host}: ${networkReason(sent.code)}.` };
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
