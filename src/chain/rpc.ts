import { readBounded, retryAfterMs } from '../client/response.js';
import { WebhookError } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import type { RpcUrl } from './rpc-url.js';

/** Code of {@link RpcError}. */
export type RpcErrorCode = 'ERR_WEBHOOK_RPC';

/**
 * Why a call failed: the node or the server before it returned an error (`refused`), asked for a pause
 * (`rate-limited`), did not answer in time (`timeout`) or could not be reached (`unreachable`); its answer was too long
 * (`too-long`) or invalid (`malformed`); or the caller aborted the call (`aborted`).
 */
export type RpcFailure = 'refused' | 'rate-limited' | 'timeout' | 'unreachable' | 'too-long' | 'malformed' | 'aborted';

/**
 * A node did not answer, refused a call, or sent an invalid answer. The message names the call and the node's origin, and
 * never the rest of its URL, which may contain a key.
 */
export class RpcError extends WebhookError<RpcErrorCode> {
  readonly reason: RpcFailure;
  /** The pause that the node asked for with Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { reason, retryAfterMs }: Pick<RpcError, 'reason'> & Partial<RpcError>) {
    super('ERR_WEBHOOK_RPC', message);
    this.name = 'RpcError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Replaces a `refused` error with a value. Other errors are thrown. */
export function ifRefused(error: unknown): undefined {
  if (!(error instanceof RpcError) || error.reason !== 'refused') throw error;
}

/** Calls a method of a node. Throws only {@link RpcError}. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

export interface RpcOptions {
  /** Timeout of one request, without the wait for others. */
  readonly timeoutMs: number;
  /** Aborts the calls in progress. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum concurrent requests to a node; further calls wait in order. */
export const CONCURRENCY = 8;
/** Maximum bytes in an answer: ten times a block of the largest chains. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Maximum length of a quoted error message. */
const LONGEST_MESSAGE = 300;

/** JSON-RPC 2.0 over HTTP. */
export function createRpc(url: RpcUrl, { timeoutMs, signal }: RpcOptions): Rpc {
  let lastId = 0;
  const open = new Set<AbortController>();
  const abortAll = () => {
    for (const each of open) each.abort();
  };
  const inTurn = createTurns(CONCURRENCY);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(url.authorization !== undefined && { authorization: url.authorization }),
  };

  /** The node's message as JSON text, without control characters. */
  function said({ code, message }: Record<string, unknown>): string {
    const number = Number.isSafeInteger(code) ? ` (${code})` : '';
    if (typeof message !== 'string') return number;
    const text = url.scrub(message).slice(0, LONGEST_MESSAGE).replace(/\p{C}/gu, '?');
    return `: ${JSON.stringify(text)}${number}`;
  }

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const fail = (what: string, how: ConstructorParameters<typeof RpcError>[1]) =>
      new RpcError(`${method} at ${url.origin} failed: ${what}`, how);
    const late = new AbortController();
    open.add(late);
    // One listener for all calls, and none between them: Node warns about a signal with many.
    signal?.addEventListener('abort', abortAll);
    if (signal?.aborted) late.abort();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });
    const exchange = async () => {
      // A redirect could send the key to another host. The signal also bounds the time to read the body.
      const init = { method: 'POST', headers, body, signal: late.signal, redirect: 'error' } as const;
      const response = await fetch(new Request(url.href, init));
      return { response, bytes: await readBounded(response, MOST_BYTES) };
    };
    // Once more, because the node may have closed an idle connection.
    const exchanged = exchange().catch((error) => {
      if (late.signal.aborted) throw error;
      return exchange();
    });
    const { response, bytes } = await exchanged
      .catch((error) => {
        if (signal?.aborted) throw fail('aborted by the caller.', { reason: 'aborted' });
        if (late.signal.aborted) throw fail(`no answer within ${timeoutMs} ms.`, { reason: 'timeout' });
        throw fail(whyUnreachable(error), { reason: 'unreachable' });
      })
      .finally(() => {
        clearTimeout(timer);
        open.delete(late);
        if (open.size === 0) signal?.removeEventListener('abort', abortAll);
      });
    const answer = parse(bytes);
    if (!response.ok) {
      const refusal = isRecord(answer) && isRecord(answer.error) ? answer.error : {};
      const { status } = response;
      const pauseMs = retryAfterMs(response.headers.get('retry-after'));
      throw fail(`HTTP ${status}${said(refusal)}.`, { reason: reasonOfStatus(status, refusal), retryAfterMs: pauseMs });
    }
    if (bytes === undefined) throw fail(`the answer is longer than ${MOST_BYTES} bytes.`, { reason: 'too-long' });
    const malformed = { reason: 'malformed' } as const;
    if (!isRecord(answer)) throw fail('the answer is not JSON-RPC. Is this the URL of a node?', malformed);
    if (isRecord(answer.error)) {
      const reason = isRateLimit(answer.error) ? 'rate-limited' : 'refused';
      throw fail(`the node returned an error${said(answer.error)}.`, { reason });
    }
    // Some nodes write the id as text, and caches return the id of an earlier call.
    if (answer.result === undefined) throw fail('the answer has no result.', malformed);
    return answer.result;
  }

  return (...call) => inTurn(() => request(...call));
}

/** Waits, at most until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

/** Runs at most `most` functions concurrently; the others wait in order. */
export function createTurns(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Value>(run: () => Promise<Value>): Promise<Value> => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

function reasonOfStatus(status: number, refusal: Record<string, unknown>): RpcFailure {
  if (status === 429 || isRateLimit(refusal)) return 'rate-limited';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 && refusal.message === undefined ? 'unreachable' : 'refused';
}

/**
 * Whether a node's error asks for a pause. Providers send these codes and messages with HTTP 200 too. -32005 is missing
 * because it also means too many results.
 */
function isRateLimit({ code, message }: Record<string, unknown>): boolean {
  if (code === 429 || code === -32007) return true;
  return typeof message === 'string' && /rate.?limit|too many requests|requests? limit|per second|daily/i.test(message);
}

const utf8 = new TextDecoder();

function parse(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

const TLS_CODE = /^(EPROTO$|ERR_(SSL|TLS)_|UNABLE_TO_)|CERT/;

/** Why fetch failed: only the code, because messages may contain the URL. */
function whyUnreachable(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code !== 'string' || !/^\w+$/.test(code)) continue;
    if (TLS_CODE.test(code)) return 'no TLS connection. Use http: for a node without TLS, or check its certificate.';
    return `the node is unreachable (${code}). Is it running?`;
  }
  return 'the node is unreachable. Is it running?';
}
